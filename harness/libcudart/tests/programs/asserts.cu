// A failed assertion on the device ends the context; an assertion that holds does nothing.
// code: 1
#include "common.cuh"
#include <cassert>

__global__ void checked(const int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
    assert(p[i] >= 0);
}

int main() {
    int *p;
    OK(cudaMalloc(&p, 64 * sizeof(int)));
    OK(cudaMemset(p, 0, 64 * sizeof(int)));
    checked<<<2, 32>>>(p, 64);
    OK(cudaDeviceSynchronize());
    OK(cudaMemset(p, 0xff, sizeof(int)));
    checked<<<2, 32>>>(p, 64);
    IS(cudaDeviceSynchronize() == cudaErrorAssert);
    IS(cudaMemset(p, 0, 4) == cudaErrorAssert);
    IS(cudaGetLastError() == cudaErrorAssert);
    printf("%s\n", cudaGetErrorString(cudaErrorAssert));
}
