// The device is reset: its memory is gone, variables have their first values, and kernels are loaded again.
#include "common.cuh"

__device__ int number = 1;
__global__ void next(int *p) {
    *p = ++number;
}

int main() {
    for (int round = 0; round < 3; round++) {
        int *p, host = 0;
        OK(cudaMalloc(&p, sizeof *p));
        next<<<1, 1>>>(p);
        next<<<1, 1>>>(p);
        OK(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
        IS(host == 3);
        OK(cudaDeviceReset());
    }
    puts("resets are right");
}
