// Occupancy as programs ask for it: the best block, with shared memory that depends on it, and what is left of it.
#include "common.cuh"

__global__ void __launch_bounds__(256) bounded(float *p) {
    extern __shared__ float words[];
    words[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = words[(threadIdx.x + 1) % blockDim.x];
}

struct BytesOfBlock {
    __host__ __device__ size_t operator()(int block) const { return block * sizeof(float); }
};

int main() {
    int least, block;
    OK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&least, &block, bounded, BytesOfBlock()));
    IS(block > 0 && block <= 256 && block % 32 == 0 && least > 0);
    IS(cudaOccupancyMaxPotentialBlockSize(&least, &block, bounded, 0, 64) == cudaSuccess && block <= 64);
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, bounded));
    IS(attributes.maxThreadsPerBlock == 256 && attributes.sharedSizeBytes == 0 && attributes.numRegs > 0);
    IS(attributes.ptxVersion >= 75);
    int few, many;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, bounded, 64, 256));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, bounded, 64, 40000));
    IS(few >= 1 && few < many);
    size_t left;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&left, bounded, 2, 64));
    IS(left >= 16 * 1024);
    const char *name;
    OK(cudaFuncGetName(&name, (const void *)bounded));
    size_t offset, size;
    OK(cudaFuncGetParamInfo((const void *)bounded, 0, &offset, &size));
    IS(offset == 0 && size == sizeof(float *));
    IS(CODE(cudaFuncGetParamInfo((const void *)bounded, 1, &offset, &size)) == cudaErrorInvalidValue);
    OK(cudaFuncSetCacheConfig(bounded, cudaFuncCachePreferShared));
    OK(cudaFuncSetAttribute(bounded, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    printf("%s\n", name);
}
