// Launches with attributes, and the attributes that kernels and streams keep. What is too large is refused.
#include "common.cuh"
#include <cooperative_groups.h>

__global__ void fill(int *p, int value) {
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void meet(int *arrived, int *seen) {
    atomicAdd(arrived, 1);
    cooperative_groups::this_grid().sync();
    seen[blockIdx.x] = *arrived;
}
template <int N> __global__ void __launch_bounds__(N, 2) bounded(int *p) {
    extern __shared__ int words[];
    words[threadIdx.x] = N;
    __syncthreads();
    p[threadIdx.x] = words[N - 1 - threadIdx.x];
}

int main() {
    int *p, *arrived, host[128];
    OK(cudaMalloc(&p, sizeof host));
    OK(cudaMalloc(&arrived, sizeof *arrived));
    OK(cudaMemset(arrived, 0, sizeof *arrived));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[0].val.priority = 0;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, fill, p, 5));
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    OK(cudaLaunchKernelEx(&config, meet, arrived, p + 64));
    OK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[0] == 5 && host[63] == 5 && host[64] == 128 && host[67] == 128 && host[68] == 5);
    int nine = 9;
    void *arguments[] = {&p, &nine};
    config.numAttrs = 0;
    OK(cudaLaunchKernelExC(&config, (const void *)fill, arguments));
    OK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[127] == 9);

    // What a kernel may be launched with.
    cudaFuncAttributes about;
    OK(cudaFuncGetAttributes(&about, bounded<64>));
    IS(about.maxThreadsPerBlock == 64 && about.localSizeBytes == 0);
    OK(cudaFuncSetAttribute(bounded<64>, cudaFuncAttributeMaxDynamicSharedMemorySize, 50 * 1024));
    bounded<64><<<1, 64, 50 * 1024>>>(p);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 64 && host[63] == 64);
    bounded<64><<<1, 65>>>(p);
    IS(cudaGetLastError() != cudaSuccess);
    // Without the attribute the most is 48 KiB.
    bounded<128><<<1, 128, 50 * 1024>>>(p);
    IS(cudaGetLastError() == cudaErrorInvalidValue);
    IS(CODE(cudaFuncSetAttribute(bounded<128>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20)) != cudaSuccess);

    // A stream hands its attributes on.
    cudaStream_t other;
    OK(cudaStreamCreate(&other));
    cudaStreamAttrValue value = {}, read = {};
    value.syncPolicy = cudaSyncPolicyYield;
    OK(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
    OK(cudaStreamGetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &read));
    IS(read.syncPolicy == cudaSyncPolicyYield);
    OK(cudaStreamCopyAttributes(other, stream));
    OK(cudaStreamGetAttribute(other, cudaStreamAttributeSynchronizationPolicy, &read));
    IS(read.syncPolicy == cudaSyncPolicyYield);
    OK(cudaStreamDestroy(stream));
    OK(cudaStreamDestroy(other));
    OK(cudaFree(p));
    OK(cudaFree(arrived));
    puts("attributes are right");
}
