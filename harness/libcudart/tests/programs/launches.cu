// Every way to launch: by name, by address, by a configuration, cooperatively; attributes and occupancy.
#include "common.cuh"
#include <cooperative_groups.h>

__global__ void put(int *p, int value) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void dynamic(int *p) {
    extern __shared__ int words[];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}
__global__ void everywhere(int *sum, int *all) {
    auto grid = cooperative_groups::this_grid();
    atomicAdd(sum, 1);
    grid.sync();
    if (threadIdx.x == 0) all[blockIdx.x] = *sum;
}
template <typename T> __global__ void twice(T *p) {
    p[threadIdx.x] *= 2;
}
struct Big {
    double numbers[40];
};
__global__ void big(Big value, double *out) {
    *out = value.numbers[39];
}

int main() {
    int *p, host[64];
    OK(cudaMalloc(&p, sizeof host));
    int value = 3;
    void *arguments[] = {&p, &value};
    OK(cudaLaunchKernel((const void *)put, dim3(2), dim3(32), arguments, 0, 0));
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[63] == 3);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(32);
    OK(cudaLaunchKernelEx(&config, put, p, 8));
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 8);
    cudaKernel_t kernel;
    OK(cudaGetKernel(&kernel, (const void *)put));
    value = 11;
    OK(cudaLaunchKernel((const void *)kernel, dim3(2), dim3(32), arguments, 0, 0));
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[40] == 11);
    IS(CODE(cudaLaunchKernel((const void *)&value, dim3(1), dim3(1), arguments, 0, 0)) ==
       cudaErrorInvalidResourceHandle);

    twice<<<1, 64>>>(p);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[40] == 22);

    const int most = 60 * 1024;
    OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, dynamic));
    IS(attributes.maxDynamicSharedSizeBytes == most && attributes.maxThreadsPerBlock >= 64);
    dynamic<<<1, 64, most>>>(p);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 63 && host[63] == 0);
    IS(CODE(cudaFuncGetAttributes(&attributes, (const void *)host)) == cudaErrorInvalidResourceHandle);

    int blocks = 0, size = 0, least = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 128, 0));
    IS(blocks >= 1);
    OK(cudaOccupancyMaxPotentialBlockSize(&least, &size, put));
    IS(size >= 32 && least >= 1);

    int *sum;
    OK(cudaMalloc(&sum, sizeof *sum));
    OK(cudaMemset(sum, 0, sizeof *sum));
    void *both[] = {&sum, &p};
    OK(cudaLaunchCooperativeKernel((const void *)everywhere, dim3(4), dim3(64), both, 0, 0));
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) IS(host[i] == 256);

    Big structure = {};
    structure.numbers[39] = 2.5;
    double *out, back;
    OK(cudaMalloc(&out, sizeof back));
    big<<<1, 1>>>(structure, out);
    OK(cudaMemcpy(&back, out, sizeof back, cudaMemcpyDeviceToHost));
    IS(back == 2.5);
    OK(cudaFree(p));
    OK(cudaFree(sum));
    OK(cudaFree(out));
    puts("launches are right");
}
