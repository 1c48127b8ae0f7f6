// Prefix sums of any length: the blocks scan their parts, one block scans the parts' sums, and all blocks add what lies
// before them. The whole program.
//
// Compile and run:  warplab nvcc program.cu -o scan && warplab exec ./scan 10000
// run: 10000
#include <cstdio>
#include <cstdlib>

const int THREADS = 256;

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// Each block scans its part of x in place (Kogge and Stone): an element adds the one 1, 2, 4, ... places to its left.
// The sum of the part goes to sums, if there is such an array.
__global__ void scan_parts(int *x, int n, int *sums) {
    __shared__ int part[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    for (int distance = 1; distance < THREADS; distance *= 2) {
        // All have written before any thread reads, and all have read before any thread writes.
        __syncthreads();
        int left = threadIdx.x >= distance ? part[threadIdx.x - distance] : 0;
        __syncthreads();
        part[threadIdx.x] += left;
    }
    if (i < n) x[i] = part[threadIdx.x];
    if (sums != nullptr && threadIdx.x == THREADS - 1) sums[blockIdx.x] = part[threadIdx.x];
}

// Adds the sum of all parts before it to each part but the first.
__global__ void add_sums(int *x, int n, const int *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) x[i] += sums[blockIdx.x - 1];
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    int blocks = (n + THREADS - 1) / THREADS;
    if (n < 1 || blocks > THREADS) {
        fprintf(stderr, "usage: %s NUMBERS (at most %d)\n", argv[0], THREADS * THREADS);
        return 2;
    }
    int *x = (int *)malloc(n * sizeof(int)), *found = (int *)malloc(n * sizeof(int)), *device_x, *sums;
    for (int i = 0; i < n; i++) x[i] = i * 7 % 10;
    check(cudaMalloc(&device_x, n * sizeof(int)), "memory for the numbers");
    check(cudaMalloc(&sums, blocks * sizeof(int)), "memory for the sums");
    check(cudaMemcpy(device_x, x, n * sizeof(int), cudaMemcpyHostToDevice), "copy of the numbers");

    // Launches into one stream run one after the other, so that each sees all that the one before has written.
    scan_parts<<<blocks, THREADS>>>(device_x, n, sums);
    scan_parts<<<1, THREADS>>>(sums, blocks, nullptr);
    add_sums<<<blocks, THREADS>>>(device_x, n, sums);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(found, device_x, n * sizeof(int), cudaMemcpyDeviceToHost), "copy of the result");

    int sum = 0, wrong = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        wrong += found[i] != sum;
    }
    printf("%d prefix sums, the last %d, %d wrong\n", n, found[n - 1], wrong);
    check(cudaFree(device_x), "free");
    check(cudaFree(sums), "free");
    free(x);
    free(found);
    return wrong == 0 ? 0 : 1;
}
