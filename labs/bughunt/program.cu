// A sum whose answer is right, and whose code is wrong: a whole program to hunt in.
//
// It counts on the lanes of a warp to stay side by side, as programs did before Volta. Since then they need not, and a
// lane may read what its neighbour has not written yet. No test of the answer shows that; `--check all` does, with both
// lines.
//
// Compile and run:  warplab nvcc -lineinfo program.cu -o hunt && warplab exec --check all ./hunt
// code: 1
#include <cstdio>
#include <cstdlib>

const int THREADS = 128;

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

__global__ void sum(const int *x, int *total) {
    __shared__ int sums[THREADS];
    sums[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 64) sums[threadIdx.x] += sums[threadIdx.x + 64];
    __syncthreads();
    if (threadIdx.x < 32) {
        // The last warp goes on alone, "without the need for barriers".
        volatile int *last = sums;
        last[threadIdx.x] += last[threadIdx.x + 32];
        last[threadIdx.x] += last[threadIdx.x + 16];
        last[threadIdx.x] += last[threadIdx.x + 8];
        last[threadIdx.x] += last[threadIdx.x + 4];
        last[threadIdx.x] += last[threadIdx.x + 2];
        last[threadIdx.x] += last[threadIdx.x + 1];
        if (threadIdx.x == 0) *total = last[0];
    }
}

int main() {
    int x[THREADS], *device_x, *total, found, expected = 0;
    for (int i = 0; i < THREADS; i++) expected += x[i] = i;
    check(cudaMalloc(&device_x, sizeof x), "memory for the numbers");
    check(cudaMalloc(&total, sizeof found), "memory for the sum");
    check(cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice), "copy of the numbers");
    sum<<<1, THREADS>>>(device_x, total);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(&found, total, sizeof found, cudaMemcpyDeviceToHost), "copy of the sum");
    printf("the sum is %d, and should be %d\n", found, expected);
    check(cudaFree(device_x), "free");
    check(cudaFree(total), "free");
    return found == expected ? 0 : 1;
}
