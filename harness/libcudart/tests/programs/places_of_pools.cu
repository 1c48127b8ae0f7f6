// Pools of the device's, the host's and managed memory, by the place and the kind of memory.
#include "common.cuh"

__global__ void add(int *p, int value) {
    p[threadIdx.x] += value;
}

static cudaMemPool_t pool_of(cudaMemLocation place, cudaMemAllocationType kind) {
    cudaMemPool_t pool = nullptr;
    OK(cudaMemGetMemPool(&pool, &place, kind));
    return pool;
}

int main() {
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    cudaMemPool_t of_device, standard, current;
    OK(cudaDeviceGetDefaultMemPool(&of_device, 0));
    OK(cudaMemGetDefaultMemPool(&standard, &device, cudaMemAllocationTypePinned));
    IS(standard == of_device && pool_of(device, cudaMemAllocationTypePinned) == of_device);
    // Each place and kind has a pool of its own.
    cudaMemPool_t of_host = pool_of(host, cudaMemAllocationTypePinned);
    cudaMemPool_t managed = pool_of(device, cudaMemAllocationTypeManaged);
    IS(of_host != of_device && managed != of_device && managed != of_host);
    OK(cudaMemGetDefaultMemPool(&standard, &host, cudaMemAllocationTypePinned));
    IS(standard == of_host);

    // A pool of the program's own replaces the standard one, until it is destroyed.
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = device;
    cudaMemPool_t own;
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, own));
    IS(pool_of(device, cudaMemAllocationTypePinned) == own);
    OK(cudaDeviceGetMemPool(&current, 0));
    IS(current == own);
    IS(CODE(cudaMemSetMemPool(&host, cudaMemAllocationTypePinned, own)) == cudaErrorInvalidValue);
    OK(cudaMemPoolDestroy(own));
    IS(pool_of(device, cudaMemAllocationTypePinned) == of_device);

    // Memory of pools: of the device, pinned, managed. The host reaches the last two.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    props.location = host;
    cudaMemPool_t pinned;
    OK(cudaMemPoolCreate(&pinned, &props));
    cudaMemAccessFlags allowed = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolGetAccess(&allowed, pinned, &device));
    IS(allowed == cudaMemAccessFlagsProtNone);
    cudaMemAccessDesc access = {device, cudaMemAccessFlagsProtReadWrite};
    OK(cudaMemPoolSetAccess(pinned, &access, 1));
    OK(cudaMemPoolGetAccess(&allowed, pinned, &device));
    IS(allowed == cudaMemAccessFlagsProtReadWrite);
    int *p;
    cudaPointerAttributes what;
    OK(cudaMallocFromPoolAsync(&p, 32 * sizeof(int), pinned, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++) p[i] = i;
    add<<<1, 32, 0, stream>>>(p, 5);
    OK(cudaStreamSynchronize(stream));
    IS(p[0] == 5 && p[31] == 36);
    OK(cudaPointerGetAttributes(&what, p));
    IS(what.type == cudaMemoryTypeHost);
    OK(cudaFreeAsync(p, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemPoolDestroy(pinned));

    props.allocType = cudaMemAllocationTypeManaged;
    props.location = device;
    cudaMemPool_t shared;
    OK(cudaMemPoolCreate(&shared, &props));
    OK(cudaMemSetMemPool(&device, cudaMemAllocationTypeManaged, shared));
    IS(pool_of(device, cudaMemAllocationTypeManaged) == shared);
    OK(cudaMallocFromPoolAsync(&p, 32 * sizeof(int), shared, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++) p[i] = i;
    add<<<1, 32, 0, stream>>>(p, 7);
    OK(cudaStreamSynchronize(stream));
    IS(p[0] == 7 && p[31] == 38);
    OK(cudaPointerGetAttributes(&what, p));
    IS(what.type == cudaMemoryTypeManaged);
    OK(cudaFreeAsync(p, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemPoolDestroy(shared));

    cudaMemLocation wrong = {cudaMemLocationTypeDevice, 77};
    IS(CODE(cudaMemGetMemPool(&current, &wrong, cudaMemAllocationTypePinned)) == cudaErrorInvalidValue);
    IS(CODE(cudaMemGetMemPool(&current, &device, (cudaMemAllocationType)77)) == cudaErrorInvalidValue);
    IS(CODE(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, nullptr)) == cudaErrorInvalidValue);
    OK(cudaStreamDestroy(stream));
    puts("places of pools are right");
}
