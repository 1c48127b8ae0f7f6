// What the device says about itself, in the structure and by attribute.
#include "common.cuh"
#include <cstring>

int main() {
    int count = 0, device = -1;
    OK(cudaGetDeviceCount(&count));
    IS(count >= 1);
    OK(cudaGetDevice(&device));
    IS(device == 0);
    cudaDeviceProp prop;
    memset(&prop, 0xff, sizeof prop);
    OK(cudaGetDeviceProperties(&prop, 0));
    IS(strlen(prop.name) > 0);
    struct {
        cudaDeviceAttr attribute;
        long long value;
    } pairs[] = {
        {cudaDevAttrMaxThreadsPerBlock, prop.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimZ, prop.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, prop.maxGridSize[0]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (long long)prop.sharedMemPerBlock},
        {cudaDevAttrTotalConstantMemory, (long long)prop.totalConstMem},
        {cudaDevAttrWarpSize, prop.warpSize},
        {cudaDevAttrMaxPitch, (long long)prop.memPitch},
        {cudaDevAttrTextureAlignment, (long long)prop.textureAlignment},
        {cudaDevAttrMultiProcessorCount, prop.multiProcessorCount},
        {cudaDevAttrIntegrated, prop.integrated},
        {cudaDevAttrMaxTexture3DDepth, prop.maxTexture3D[2]},
        {cudaDevAttrMaxSurfaceCubemapLayeredLayers, prop.maxSurfaceCubemapLayered[1]},
        {cudaDevAttrConcurrentKernels, prop.concurrentKernels},
        {cudaDevAttrPciBusId, prop.pciBusID},
        {cudaDevAttrAsyncEngineCount, prop.asyncEngineCount},
        {cudaDevAttrGlobalMemoryBusWidth, prop.memoryBusWidth},
        {cudaDevAttrL2CacheSize, prop.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, prop.maxThreadsPerMultiProcessor},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (long long)prop.sharedMemPerMultiprocessor},
        {cudaDevAttrManagedMemory, prop.managedMemory},
        {cudaDevAttrConcurrentManagedAccess, prop.concurrentManagedAccess},
        {cudaDevAttrCooperativeLaunch, prop.cooperativeLaunch},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (long long)prop.sharedMemPerBlockOptin},
        {cudaDevAttrMaxBlocksPerMultiprocessor, prop.maxBlocksPerMultiProcessor},
        {cudaDevAttrReservedSharedMemoryPerBlock, (long long)prop.reservedSharedMemPerBlock},
        {cudaDevAttrMemoryPoolsSupported, prop.memoryPoolsSupported},
        {cudaDevAttrComputeCapabilityMajor, prop.major},
        {cudaDevAttrComputeCapabilityMinor, prop.minor},
    };
    for (auto &pair : pairs) {
        int value = -1;
        OK(cudaDeviceGetAttribute(&value, pair.attribute, 0));
        if (value != pair.value) printf("attribute %d: %d, not %lld\n", pair.attribute, value, pair.value);
        IS(value == pair.value);
    }
    size_t free_bytes, total;
    OK(cudaMemGetInfo(&free_bytes, &total));
    IS(total == prop.totalGlobalMem && free_bytes <= total);
    int runtime = 0, driver = 0;
    OK(cudaRuntimeGetVersion(&runtime));
    OK(cudaDriverGetVersion(&driver));
    IS(runtime == CUDART_VERSION && driver >= runtime);
    IS(CODE(cudaGetDeviceProperties(&prop, count)) == cudaErrorInvalidDevice);
    size_t limit;
    OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    IS(limit == 16 << 20);
    char bus[32];
    OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    OK(cudaDeviceGetByPCIBusId(&device, bus));
    IS(device == 0);
    puts("properties are right");
}
