// Page-locked memory: its flags, where the device sees it, registered memory, and copies from inside of an allocation.
#include "common.cuh"
#include <vector>

__global__ void increment(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i]++;
}

int main() {
    const int n = 1000;
    unsigned flags = 0;
    int *plain, *mapped, *combined, *seen;
    OK(cudaSetDeviceFlags(cudaDeviceMapHost | cudaDeviceScheduleBlockingSync));
    OK(cudaHostAlloc(&plain, n * sizeof(int), cudaHostAllocDefault));
    OK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    OK(cudaHostAlloc(&combined, n * sizeof(int), cudaHostAllocWriteCombined | cudaHostAllocMapped));
    OK(cudaHostGetFlags(&flags, mapped));
    // Portable memory is not distinguished from other memory.
    IS(flags == cudaHostAllocMapped);
    OK(cudaHostGetFlags(&flags, combined));
    IS(flags & cudaHostAllocWriteCombined);
    for (int i = 0; i < n; i++) plain[i] = mapped[i] = combined[i] = i;

    // With one address space for both, the device's address is the host's.
    int unified;
    OK(cudaDeviceGetAttribute(&unified, cudaDevAttrUnifiedAddressing, 0));
    OK(cudaHostGetDevicePointer(&seen, mapped, 0));
    IS(!unified || seen == mapped);
    increment<<<(n + 255) / 256, 256>>>(seen, n);
    OK(cudaHostGetDevicePointer(&seen, combined, 0));
    increment<<<(n + 255) / 256, 256>>>(seen, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) IS(mapped[i] == i + 1);
    IS(combined[n - 1] == n);

    // A pointer into the middle of it belongs to it.
    cudaPointerAttributes about;
    OK(cudaPointerGetAttributes(&about, mapped + 10));
    IS(about.type == cudaMemoryTypeHost && about.hostPointer == mapped + 10 && about.device == 0);
    int *device;
    OK(cudaMalloc(&device, n * sizeof(int)));
    OK(cudaMemcpyAsync(device, plain + 500, 500 * sizeof(int), cudaMemcpyHostToDevice, 0));
    OK(cudaMemcpyAsync(plain, device + 100, 100 * sizeof(int), cudaMemcpyDeviceToHost, 0));
    OK(cudaStreamSynchronize(0));
    for (int i = 0; i < 100; i++) IS(plain[i] == 600 + i);

    // Memory of the program's own, registered while it is needed.
    std::vector<int> own(n, 5);
    OK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterPortable | cudaHostRegisterMapped));
    IS(CODE(cudaHostRegister(own.data(), n * sizeof(int), 0)) == cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostGetFlags(&flags, own.data()));
    IS(flags == (cudaHostRegisterPortable | cudaHostRegisterMapped));
    OK(cudaHostGetDevicePointer(&seen, own.data(), 0));
    increment<<<(n + 255) / 256, 256>>>(seen, n);
    OK(cudaDeviceSynchronize());
    IS(own[0] == 6 && own[n - 1] == 6);
    OK(cudaHostUnregister(own.data()));
    IS(CODE(cudaHostUnregister(own.data())) == cudaErrorHostMemoryNotRegistered);
    IS(CODE(cudaFreeHost(own.data())) == cudaErrorInvalidValue);
    OK(cudaFreeHost(nullptr));
    OK(cudaFreeHost(plain));
    OK(cudaFreeHost(mapped));
    OK(cudaFreeHost(combined));
    OK(cudaFree(device));
    puts("page-locked memory is right");
}
