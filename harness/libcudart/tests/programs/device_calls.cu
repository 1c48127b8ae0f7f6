// The runtime's calls in device code: what they return, and the errors of wrong ones, which each thread has for itself.
// nvcc: -rdc=true -lcudadevrt -w
#include "common.cuh"

__global__ void nothing() {}
__global__ void bounded(int) __launch_bounds__(64);
__global__ void bounded(int) {}
__global__ void one_parameter(int *p) { *p += 1; }
__device__ int somewhere[64];

#define TRY(call) printf("%s: %d\n", #call, (int)(call))
// The error that a launch leaves.
#define LAUNCH(...)                                                                                                    \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        printf("%s: %d\n", #__VA_ARGS__, (int)cudaGetLastError());                                                     \
    } while (0)

__global__ void launches() {
    LAUNCH(nothing<<<1, 1>>>());
    LAUNCH(nothing<<<0, 1>>>());
    LAUNCH(nothing<<<1, 0>>>());
    LAUNCH(nothing<<<1, 1025>>>());
    LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>());
    LAUNCH(nothing<<<dim3(1, 65536), 1>>>());
    LAUNCH(nothing<<<dim3(1, 1, 65536), 1>>>());
    LAUNCH(nothing<<<1, 1, 49152>>>());
    LAUNCH(nothing<<<1, 1, 49153>>>());
    LAUNCH(nothing<<<1, 1, 1 << 20>>>());
    LAUNCH(bounded<<<1, 65>>>(1));
    LAUNCH(bounded<<<1, 64>>>(1));
    LAUNCH(nothing<<<1, 1, 0, (cudaStream_t)0x1234560>>>());
    LAUNCH(nothing<<<1, 1, 0, cudaStreamFireAndForget>>>());
    LAUNCH(nothing<<<1, 1, 0, cudaStreamTailLaunch>>>());
    LAUNCH(nothing<<<1, 1, 0, cudaStreamPerThread>>>());
    LAUNCH(nothing<<<1, 1, 0, cudaStreamLegacy>>>());
}

__global__ void streams() {
    cudaStream_t stream;
    cudaEvent_t event;
    TRY(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
    TRY(cudaStreamCreateWithFlags(&stream, 7));
    TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TRY(stream == 0);
    TRY(cudaEventCreateWithFlags(&event, cudaEventDefault));
    TRY(cudaEventCreateWithFlags(&event, cudaEventBlockingSync));
    TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    TRY(event == 0);
    TRY(cudaEventRecord(event, stream));
    TRY(cudaEventRecord(event, 0));
    TRY(cudaStreamWaitEvent(stream, event, 0));
    TRY(cudaStreamWaitEvent(0, event, 0));
    TRY(cudaStreamWaitEvent(stream, event, 1));
    TRY(cudaEventRecord((cudaEvent_t)0, stream));
    TRY(cudaStreamWaitEvent(stream, (cudaEvent_t)0, 0));
    TRY(cudaEventRecord(event, cudaStreamFireAndForget));
    TRY(cudaEventRecord(event, cudaStreamTailLaunch));
    TRY(cudaEventDestroy(event));
    TRY(cudaEventDestroy((cudaEvent_t)0));
    TRY(cudaStreamDestroy(stream));
    TRY(cudaStreamDestroy((cudaStream_t)0));
    TRY(cudaGetLastError());
}

__global__ void memory(int *p) {
    __shared__ int shared[16];
    int local[16] = {};
    shared[threadIdx.x] = 1;
    TRY(cudaMemsetAsync(p, 1, 64, 0));
    TRY(cudaMemsetAsync(p, 1, 0, 0));
    TRY(cudaMemsetAsync(shared, 1, 64, 0));
    TRY(cudaMemsetAsync(local, 1, 64, 0));
    TRY(cudaMemset2DAsync(p, 16, 1, 8, 4, 0));
    TRY(cudaMemset2DAsync(p, 4, 1, 8, 4, 0));
    TRY(cudaMemset2DAsync(p, 4, 1, 8, 1, 0));
    TRY(cudaMemset3DAsync(cudaPitchedPtr{p, 16, 16, 2}, 1, cudaExtent{8, 2, 2}, 0));
    TRY(cudaMemcpyAsync(p, p + 32, 64, cudaMemcpyDeviceToDevice, 0));
    TRY(cudaMemcpyAsync(p, p + 32, 64, cudaMemcpyDefault, 0));
    TRY(cudaMemcpyAsync(p, p + 32, 64, cudaMemcpyHostToDevice, 0));
    TRY(cudaMemcpyAsync(p, p + 32, 64, cudaMemcpyDeviceToHost, 0));
    TRY(cudaMemcpyAsync(p, p + 32, 64, cudaMemcpyHostToHost, 0));
    TRY(cudaMemcpyAsync(p, p + 32, 64, (cudaMemcpyKind)9, 0));
    TRY(cudaMemcpyAsync(p, p + 32, 0, cudaMemcpyDeviceToDevice, 0));
    TRY(cudaMemcpyAsync(p, shared, 64, cudaMemcpyDeviceToDevice, 0));
    TRY(cudaMemcpyAsync(p, local, 64, cudaMemcpyDeviceToDevice, 0));
    TRY(cudaMemcpyAsync(shared, p, 64, cudaMemcpyDeviceToDevice, 0));
    TRY(cudaMemcpyAsync(p, somewhere, 64, cudaMemcpyDeviceToDevice, (cudaStream_t)0x1234560));
    TRY(cudaMemcpy2DAsync(p, 16, p + 32, 8, 8, 2, cudaMemcpyDeviceToDevice, 0));
    TRY(cudaMemcpy2DAsync(p, 4, p + 32, 8, 8, 2, cudaMemcpyDeviceToDevice, 0));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = {p, 16, 16, 2};
    copy.dstPtr = {p + 32, 16, 16, 2};
    copy.extent = {8, 2, 2};
    copy.kind = cudaMemcpyDeviceToDevice;
    TRY(cudaMemcpy3DAsync(&copy, 0));
    copy.kind = cudaMemcpyHostToDevice;
    TRY(cudaMemcpy3DAsync(&copy, 0));
    void *block = nullptr;
    TRY(cudaMalloc(&block, 100));
    TRY(block != nullptr);
    TRY(cudaFree(block));
    TRY(cudaFree(nullptr));
    TRY(cudaMalloc(&block, 1ull << 40));
    TRY(cudaMalloc(&block, 0));
}

__global__ void questions() {
    int value = -1, device = -1, count = -1;
    TRY(cudaGetDevice(&device));
    TRY(device);
    TRY(cudaGetDeviceCount(&count));
    TRY(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    TRY(value);
    TRY(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, device));
    TRY(value);
    TRY(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, -1));
    TRY(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0));
    TRY(cudaRuntimeGetVersion(&value));
    TRY(value);
    size_t limit = 1;
    TRY(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    TRY(limit);
    TRY(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    TRY(limit);
    TRY(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    TRY(limit);
    TRY(cudaDeviceGetLimit(&limit, (cudaLimit)77));
    cudaFuncCache cache = (cudaFuncCache)-1;
    TRY(cudaDeviceGetCacheConfig(&cache));
    TRY(cache);
    cudaFuncAttributes attributes = {};
    TRY(cudaFuncGetAttributes(&attributes, bounded));
    TRY(attributes.maxThreadsPerBlock);
    TRY(attributes.sharedSizeBytes);
    TRY(attributes.localSizeBytes);
    TRY(cudaFuncGetAttributes(&attributes, (void *)nullptr));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, nothing, 256, 0));
    TRY(count);
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, nothing, 0, 0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, nothing, 2000, 0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, nothing, 32, 1 << 20));
    TRY(cudaGetLastError());
}

// The error of one thread is not that of another, and is forgotten when it was asked for.
__global__ void threads() {
    if (threadIdx.x == 1) nothing<<<0, 1>>>();
    if (threadIdx.x == 2) cudaStreamDestroy((cudaStream_t)0);
    __syncthreads();
    int peeked = cudaPeekAtLastError(), first = cudaGetLastError(), second = cudaGetLastError();
    for (int i = 0; i < blockDim.x; i++) {
        if (threadIdx.x == i) printf("thread %d: %d %d %d\n", i, peeked, first, second);
        __syncthreads();
    }
}

__global__ void words() {
    for (int code : {0, 1, 2, 9, 21, 69, 98, 101, 400, 700, 701, 719, 801, 999, 12345}) {
        printf("%d: %s: %s\n", code, cudaGetErrorName((cudaError_t)code), cudaGetErrorString((cudaError_t)code));
    }
}

int main() {
    int *p;
    OK(cudaMalloc(&p, 4096));
    launches<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    streams<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    memory<<<1, 1>>>(p);
    OK(cudaDeviceSynchronize());
    questions<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    threads<<<1, 4>>>();
    OK(cudaDeviceSynchronize());
    words<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    OK(cudaFree(p));
}
