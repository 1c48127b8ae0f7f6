// A vector that grows in place, by the driver's virtual memory management: addresses are reserved once, and physical
// memory is mapped behind what is there. The same memory is also mapped twice, as for a ring that is read in one piece.
#include "common.cuh"
#include <cuda.h>
#include <numeric>
#include <vector>

#define CU(name) name##_ = (decltype(&name))entry(#name)

static void *entry(const char *name) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion(name, &found, 13000, cudaEnableDefault, &status));
    IS(status == cudaDriverEntryPointSuccess && found);
    return found;
}

static decltype(&cuMemAddressReserve) cuMemAddressReserve_;
static decltype(&cuMemAddressFree) cuMemAddressFree_;
static decltype(&cuMemCreate) cuMemCreate_;
static decltype(&cuMemRelease) cuMemRelease_;
static decltype(&cuMemMap) cuMemMap_;
static decltype(&cuMemUnmap) cuMemUnmap_;
static decltype(&cuMemSetAccess) cuMemSetAccess_;
static decltype(&cuMemGetAllocationGranularity) cuMemGetAllocationGranularity_;

static CUmemAllocationProp on_device() {
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    return prop;
}

static CUresult allow(CUdeviceptr at, size_t bytes, CUmemAccess_flags flags) {
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
    return cuMemSetAccess_(at, bytes, &access, 1);
}

// Elements whose address never changes; the space for them is taken piece by piece.
class Growing {
    CUdeviceptr start = 0;
    size_t reserved = 0, mapped = 0, piece = 0, length = 0;

public:
    explicit Growing(size_t most) {
        CUmemAllocationProp prop = on_device();
        IS(!cuMemGetAllocationGranularity_(&piece, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
        reserved = (most * sizeof(int) + piece - 1) / piece * piece;
        IS(!cuMemAddressReserve_(&start, reserved, 0, 0, 0));
    }
    ~Growing() {
        IS(!cuMemUnmap_(start, mapped));
        IS(!cuMemAddressFree_(start, reserved));
    }
    void resize(size_t wanted) {
        CUmemAllocationProp prop = on_device();
        for (; mapped < wanted * sizeof(int); mapped += piece) {
            CUmemGenericAllocationHandle memory;
            IS(!cuMemCreate_(&memory, piece, &prop, 0));
            IS(!cuMemMap_(start + mapped, piece, 0, memory, 0));
            IS(!cuMemRelease_(memory));
            IS(!allow(start + mapped, piece, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
        }
        length = wanted;
    }
    int *data() const { return (int *)start; }
    size_t size() const { return length; }
    size_t pieces() const { return mapped / piece; }
};

__global__ void number(int *p, size_t from, size_t to) {
    for (size_t i = from + blockIdx.x * blockDim.x + threadIdx.x; i < to; i += gridDim.x * blockDim.x) p[i] = int(i);
}

__global__ void sum(const int *p, size_t n, unsigned long long *total) {
    unsigned long long mine = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += p[i];
    atomicAdd(total, mine);
}

static void grows() {
    Growing vector(1 << 22);
    unsigned long long *total, host;
    OK(cudaMalloc(&total, sizeof *total));
    int *before = nullptr;
    for (size_t n : {1000, 500000, 600000, 1600000}) {
        size_t old = vector.size();
        vector.resize(n);
        IS(!before || before == vector.data());
        before = vector.data();
        number<<<64, 256>>>(vector.data(), old, n);
        OK(cudaMemset(total, 0, sizeof *total));
        sum<<<64, 256>>>(vector.data(), n, total);
        OK(cudaMemcpy(&host, total, sizeof host, cudaMemcpyDeviceToHost));
        IS(host == (unsigned long long)n * (n - 1) / 2);
        printf("%zu elements in %zu pieces add up to %llu\n", n, vector.pieces(), host);
    }
    // A copy goes over the seams of the pieces.
    std::vector<int> all(vector.size()), expected(vector.size());
    std::iota(expected.begin(), expected.end(), 0);
    OK(cudaMemcpy(all.data(), vector.data(), all.size() * sizeof(int), cudaMemcpyDeviceToHost));
    IS(all == expected);
    OK(cudaFree(total));
}

// What is written at one address of the memory is read at the other.
static void maps_twice() {
    CUmemAllocationProp prop = on_device();
    size_t piece;
    IS(!cuMemGetAllocationGranularity_(&piece, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CUdeviceptr at;
    CUmemGenericAllocationHandle memory;
    IS(!cuMemAddressReserve_(&at, 2 * piece, 0, 0, 0));
    IS(!cuMemCreate_(&memory, piece, &prop, 0));
    IS(!cuMemMap_(at, piece, 0, memory, 0) && !cuMemMap_(at + piece, piece, 0, memory, 0));
    IS(!allow(at, 2 * piece, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    int *ring = (int *)at;
    size_t n = piece / sizeof(int);
    number<<<64, 256>>>(ring, 0, n);
    OK(cudaDeviceSynchronize());
    std::vector<int> turned(n);
    OK(cudaMemcpy(turned.data(), ring + n / 2, piece, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) IS(turned[i] == int((i + n / 2) % n));
    printf("a ring of %zu elements is read from its middle in one piece\n", n);
    IS(cuMemAddressFree_(at, 2 * piece) == CUDA_ERROR_INVALID_VALUE);
    IS(!cuMemUnmap_(at, 2 * piece) && !cuMemRelease_(memory) && !cuMemAddressFree_(at, 2 * piece));
}

int main() {
    OK(cudaFree(0));
    CU(cuMemAddressReserve), CU(cuMemAddressFree), CU(cuMemCreate), CU(cuMemRelease), CU(cuMemMap), CU(cuMemUnmap);
    CU(cuMemSetAccess), CU(cuMemGetAllocationGranularity);
    int supported = 0;
    auto ask = (decltype(&cuDeviceGetAttribute))entry("cuDeviceGetAttribute");
    IS(!ask(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0) && supported);
    grows();
    maps_twice();
}
