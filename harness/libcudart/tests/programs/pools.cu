// Memory that is allocated and freed in the order of a stream, and the pools that it comes from.
#include "common.cuh"
#include <cstdint>

__global__ void fill(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value;
}
__global__ void add(const int *from, int *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] += from[i];
}

static uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
    uint64_t value = ~0ull;
    OK(cudaMemPoolGetAttribute(pool, which, &value));
    return value;
}

int main() {
    const int n = 16384;
    const size_t bytes = n * sizeof(int);
    int supported;
    OK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    IS(supported);
    cudaStream_t stream, other;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    cudaMemPool_t standard, current;
    OK(cudaDeviceGetDefaultMemPool(&standard, 0));
    OK(cudaDeviceGetMemPool(&current, 0));
    IS(standard == current);

    // What is freed in a stream may be allocated again in it immediately.
    int *sum, host[4];
    OK(cudaMallocAsync(&sum, bytes, stream));
    fill<<<(n + 255) / 256, 256, 0, stream>>>(sum, n, 0);
    for (int round = 1; round <= 10; round++) {
        int *part;
        OK(cudaMallocAsync(&part, bytes, stream));
        fill<<<(n + 255) / 256, 256, 0, stream>>>(part, n, round);
        add<<<(n + 255) / 256, 256, 0, stream>>>(part, sum, n);
        OK(cudaFreeAsync(part, stream));
    }
    OK(cudaMemcpyAsync(host, sum + n - 4, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[0] == 55 && host[3] == 55);
    IS(attribute(standard, cudaMemPoolAttrUsedMemCurrent) == bytes);
    IS(attribute(standard, cudaMemPoolAttrUsedMemHigh) >= 2 * bytes);
    IS(attribute(standard, cudaMemPoolAttrReservedMemCurrent) >= bytes);
    // An ordinary free takes it too, and waits, but the pool still counts it as used.
    OK(cudaFree(sum));
    IS(attribute(standard, cudaMemPoolAttrUsedMemCurrent) == bytes);
    IS(attribute(standard, cudaMemPoolAttrReservedMemCurrent) == 0);
    uint64_t zero = 0;
    OK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrUsedMemHigh, &zero));
    IS(attribute(standard, cudaMemPoolAttrUsedMemHigh) == bytes);

    // A pool of the program's own, in place of the standard one.
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypeNone;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = 0;
    cudaMemPool_t own;
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaDeviceSetMemPool(0, own));
    OK(cudaDeviceGetMemPool(&current, 0));
    IS(current == own);
    uint64_t keep = UINT64_MAX;
    OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep));
    int reuse = 0;
    OK(cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
    cudaMemAccessDesc access = {};
    access.location = props.location;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolSetAccess(own, &access, 1));
    cudaMemAccessFlags allowed;
    OK(cudaMemPoolGetAccess(&allowed, own, &props.location));
    IS(allowed == cudaMemAccessFlagsProtReadWrite);
    int *p, *q;
    OK(cudaMallocAsync(&p, bytes, stream));
    OK(cudaMallocFromPoolAsync(&q, bytes, standard, stream));
    OK(cudaMemsetAsync(p, 1, bytes, stream));
    OK(cudaMemcpyAsync(q, p, bytes, cudaMemcpyDeviceToDevice, stream));
    OK(cudaMemcpyAsync(host, q, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[0] == 0x01010101);
    IS(attribute(own, cudaMemPoolAttrUsedMemCurrent) == bytes);
    // Freed in another stream, after an event.
    cudaEvent_t event;
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    OK(cudaEventRecord(event, stream));
    OK(cudaStreamWaitEvent(other, event, 0));
    OK(cudaFreeAsync(p, other));
    OK(cudaFreeAsync(q, other));
    OK(cudaStreamSynchronize(other));
    IS(attribute(own, cudaMemPoolAttrUsedMemCurrent) == 0);
    uint64_t reserved = attribute(own, cudaMemPoolAttrReservedMemCurrent);
    OK(cudaMemPoolTrimTo(own, 0));
    IS(attribute(own, cudaMemPoolAttrReservedMemCurrent) <= reserved);
    OK(cudaDeviceSetMemPool(0, standard));
    OK(cudaMemPoolDestroy(own));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(stream));
    OK(cudaStreamDestroy(other));
    puts("pools are right");
}
