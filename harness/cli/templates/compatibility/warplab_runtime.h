// What CUDA 13 took away from the runtime of CUDA 11 and 12, or changed: fields of cudaDeviceProp, calls that take the number
// of a device or no data of edges, the calls named cudaThread..., and the functions of warps without a mask.
#if defined(__cplusplus) && CUDART_VERSION >= 13000 && !defined(WARPLAB_RUNTIME_H)
#define WARPLAB_RUNTIME_H

// The properties with the fields that CUDA 13 gives as attributes only.
struct warplab_cudaDeviceProp : cudaDeviceProp {
    int clockRate;
    int deviceOverlap;
    int kernelExecTimeoutEnabled;
    int computeMode;
    int maxTexture1DLinear;
    int memoryClockRate;
    int singleToDoublePrecisionPerfRatio;
    int cooperativeMultiDeviceLaunch;
};

static inline cudaError_t cudaGetDeviceProperties(warplab_cudaDeviceProp *properties, int device) {
    cudaDeviceProp *base = properties;
    cudaError_t error = cudaGetDeviceProperties(base, device);
    const struct {
        int *field;
        cudaDeviceAttr attribute;
    } all[] = {
        {&properties->clockRate, cudaDevAttrClockRate},
        {&properties->deviceOverlap, cudaDevAttrGpuOverlap},
        {&properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout},
        {&properties->computeMode, cudaDevAttrComputeMode},
        {&properties->maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth},
        {&properties->memoryClockRate, cudaDevAttrMemoryClockRate},
        {&properties->singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio},
    };
    for (const auto &one : all)
        if (error == cudaSuccess) error = cudaDeviceGetAttribute(one.field, one.attribute, device);
    // CUDA 13 launches no cooperative kernel on several devices.
    properties->cooperativeMultiDeviceLaunch = 0;
    return error;
}
#define cudaDeviceProp warplab_cudaDeviceProp
#define cudaGetDeviceProperties_v2 cudaGetDeviceProperties

#define cudaDevAttrCooperativeMultiDeviceLaunch ((cudaDeviceAttr)96)
#define cudaDevAttrMaxTimelineSemaphoreInteropSupported ((cudaDeviceAttr)114)

static inline cudaMemLocation warplab_cudaMemLocation(int device) {
    cudaMemLocation location = {};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *data, size_t count, int device, cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync(data, count, warplab_cudaMemLocation(device), 0u, stream);
}
static inline cudaError_t cudaMemAdvise(const void *data, size_t count, cudaMemoryAdvise advice, int device) {
    return cudaMemAdvise(data, count, advice, warplab_cudaMemLocation(device));
}
#define cudaMemPrefetchAsync_v2 cudaMemPrefetchAsync
#define cudaMemAdvise_v2 cudaMemAdvise

static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                                   size_t count) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to, size_t count) {
    return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
    return cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
    return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                           size_t count, cudaGraphNodeParams *parameters) {
    return cudaGraphAddNode(node, graph, dependencies, nullptr, count, parameters);
}
#define cudaGraphAddDependencies_v2 cudaGraphAddDependencies
#define cudaGraphRemoveDependencies_v2 cudaGraphRemoveDependencies
#define cudaGraphGetEdges_v2 cudaGraphGetEdges
#define cudaGraphNodeGetDependencies_v2 cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes_v2 cudaGraphNodeGetDependentNodes
#define cudaGraphAddNode_v2 cudaGraphAddNode

static inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                      unsigned long long *id = 0, cudaGraph_t *graph = 0,
                                                      const cudaGraphNode_t **dependencies = 0, size_t *count = 0) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr, count);
}
#define cudaStreamGetCaptureInfo_v3 cudaStreamGetCaptureInfo
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                              size_t count, unsigned int flags = 0) {
    return cudaStreamUpdateCaptureDependencies(stream, dependencies, nullptr, count, flags);
}
#define cudaStreamUpdateCaptureDependencies_v2 cudaStreamUpdateCaptureDependencies
#define cudaSignalExternalSemaphoresAsync_v2 cudaSignalExternalSemaphoresAsync
#define cudaWaitExternalSemaphoresAsync_v2 cudaWaitExternalSemaphoresAsync
#define cudaEventElapsedTime_v2 cudaEventElapsedTime

static inline cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                                               cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                               size_t *, cudaStream_t stream) {
    return cudaMemcpyBatchAsync(to, (const void **)from, sizes, count, attributes, indices, attribute_count, stream);
}
static inline cudaError_t cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp *copies, size_t *, unsigned long long flags,
                                                 cudaStream_t stream) {
    return cudaMemcpy3DBatchAsync(count, copies, flags, stream);
}

static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
static inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
static inline cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
static inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
static inline cudaError_t cudaThreadGetCacheConfig(cudaFuncCache *config) { return cudaDeviceGetCacheConfig(config); }
static inline cudaError_t cudaSetDoubleForDevice(double *) { return cudaSuccess; }
static inline cudaError_t cudaSetDoubleForHost(double *) { return cudaSuccess; }

// The functions of warps before CUDA 9, which have no mask and exist up to compute capability 6.2. The lanes that execute the
// call together take part in it, as they did there. nvcc says so at each use.
#if defined(__CUDACC__)
#define WARPLAB_WARP(name) __attribute__((deprecated(#name " has no mask: it is compiled as " #name "_sync(__activemask(), ...)")))
static __device__ inline WARPLAB_WARP(__any) int __any(int condition) { return __any_sync(__activemask(), condition); }
static __device__ inline WARPLAB_WARP(__all) int __all(int condition) { return __all_sync(__activemask(), condition); }
static __device__ inline WARPLAB_WARP(__ballot) unsigned int __ballot(int condition) {
    return __ballot_sync(__activemask(), condition);
}
#endif
#if defined(__CUDACC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
template <class T> __device__ inline WARPLAB_WARP(__shfl) T __shfl(T value, int lane, int width = 32) {
    return __shfl_sync(__activemask(), value, lane, width);
}
template <class T> __device__ inline WARPLAB_WARP(__shfl_up) T __shfl_up(T value, unsigned int delta, int width = 32) {
    return __shfl_up_sync(__activemask(), value, delta, width);
}
template <class T> __device__ inline WARPLAB_WARP(__shfl_down) T __shfl_down(T value, unsigned int delta, int width = 32) {
    return __shfl_down_sync(__activemask(), value, delta, width);
}
template <class T> __device__ inline WARPLAB_WARP(__shfl_xor) T __shfl_xor(T value, int mask, int width = 32) {
    return __shfl_xor_sync(__activemask(), value, mask, width);
}
#endif

#endif
