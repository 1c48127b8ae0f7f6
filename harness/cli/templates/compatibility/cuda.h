// Found before CUDA's own header of this name: the calls of CUDA's driver with the arguments that they had before CUDA 13.
#pragma GCC system_header
#include_next <cuda.h>
#if defined(__cplusplus) && CUDA_VERSION >= 13000 && !defined(WARPLAB_DRIVER_H)
#define WARPLAB_DRIVER_H

static inline CUmemLocation warplab_location(CUdevice device) {
    CUmemLocation location = {};
    location.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
    location.id = device == CU_DEVICE_CPU ? 0 : device;
    return location;
}

static inline CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device) {
    return cuCtxCreate(context, nullptr, flags, device);
}
static inline CUresult cuMemPrefetchAsync(CUdeviceptr data, size_t count, CUdevice device, CUstream stream) {
    return cuMemPrefetchAsync(data, count, warplab_location(device), 0, stream);
}
static inline CUresult cuMemAdvise(CUdeviceptr data, size_t count, CUmem_advise advice, CUdevice device) {
    return cuMemAdvise(data, count, advice, warplab_location(device));
}
static inline CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    return cuGraphAddDependencies(graph, from, to, nullptr, count);
}
static inline CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                                 size_t count) {
    return cuGraphRemoveDependencies(graph, from, to, nullptr, count);
}
static inline CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
    return cuGraphGetEdges(graph, from, to, nullptr, count);
}
static inline CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies, size_t *count) {
    return cuGraphNodeGetDependencies(node, dependencies, nullptr, count);
}
static inline CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
    return cuGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}

#endif
