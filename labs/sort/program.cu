// Numbers in order by a bitonic network, which compares the same places whatever the numbers are: the whole program.
//
// Compile and run:  warplab nvcc program.cu -o sort && warplab exec ./sort 3000
// run: 3000
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// One step of the network: each thread has a pair of elements that lie so far apart, and swaps them if they are in the
// wrong order. Runs of `run` elements go up and down in turn, so that two of them together can be merged.
__global__ void step(int *x, int run, int distance) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int low = thread / distance * 2 * distance + thread % distance, high = low + distance;
    bool is_up = low / run % 2 == 0;
    int a = x[low], b = x[high];
    if ((a > b) == is_up) {
        x[low] = b;
        x[high] = a;
    }
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: %s NUMBERS\n", argv[0]);
        return 2;
    }
    // The network takes powers of two: what is missing is filled with the largest number, which stays at the end.
    int size = 128;
    while (size < n) size *= 2;
    int *x = (int *)malloc(size * sizeof(int)), *found = (int *)malloc(size * sizeof(int)), *device_x;
    unsigned state = 1;
    for (int i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = i < n ? (int)(state >> 16) % 10000 : INT_MAX;
    }
    check(cudaMalloc(&device_x, size * sizeof(int)), "memory for the numbers");
    check(cudaMemcpy(device_x, x, size * sizeof(int), cudaMemcpyHostToDevice), "copy of the numbers");

    int steps = 0, threads = 64;
    for (int run = 2; run <= size; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            // Every step needs all of the one before, so that each is a launch.
            step<<<size / 2 / threads, threads>>>(device_x, run, distance);
            steps++;
        }
    }
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(found, device_x, size * sizeof(int), cudaMemcpyDeviceToHost), "copy of the result");

    std::sort(x, x + n);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += found[i] != x[i];
    printf("%d numbers in %d steps, from %d to %d: %d at the wrong place\n", n, steps, found[0], found[n - 1], wrong);
    check(cudaFree(device_x), "free");
    free(x);
    free(found);
    return wrong == 0 ? 0 : 1;
}
