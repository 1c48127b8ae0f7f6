// A kernel that prints.
#include "common.cuh"

__global__ void hello() {
    printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

int main() {
    hello<<<2, 2>>>();
    OK(cudaDeviceSynchronize());
    puts("done");
}
