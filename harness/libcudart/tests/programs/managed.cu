// Memory that host and device share: managed, mapped, registered; what a pointer says about itself.
#include "common.cuh"
#include <vector>

__global__ void square(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= p[i];
}

int main() {
    const int n = 5000;
    float *p;
    OK(cudaMallocManaged(&p, n * sizeof *p));
    for (int i = 0; i < n; i++) p[i] = i;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    int concurrent;
    OK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    if (concurrent) {
        OK(cudaMemAdvise(p, n * sizeof *p, cudaMemAdviseSetPreferredLocation, device));
        OK(cudaMemPrefetchAsync(p, n * sizeof *p, device, 0, 0));
    }
    square<<<(n + 127) / 128, 128>>>(p, n);
    if (concurrent) OK(cudaMemPrefetchAsync(p, n * sizeof *p, host, 0, 0));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) IS(p[i] == (float)i * i);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, p));
    IS(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == p);

    float *mapped, *seen;
    OK(cudaHostAlloc(&mapped, n * sizeof *p, cudaHostAllocMapped));
    for (int i = 0; i < n; i++) mapped[i] = 2;
    OK(cudaHostGetDevicePointer(&seen, mapped, 0));
    square<<<(n + 127) / 128, 128>>>(seen, n);
    OK(cudaDeviceSynchronize());
    IS(mapped[n - 1] == 4);
    OK(cudaPointerGetAttributes(&attributes, mapped));
    IS(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == mapped);
    unsigned flags;
    OK(cudaHostGetFlags(&flags, mapped));
    IS(flags & cudaHostAllocMapped);

    std::vector<float> own(n, 3);
    OK(cudaPointerGetAttributes(&attributes, own.data()));
    IS(attributes.type == cudaMemoryTypeUnregistered && attributes.devicePointer == nullptr);
    OK(cudaHostRegister(own.data(), n * sizeof(float), cudaHostRegisterMapped));
    OK(cudaHostGetDevicePointer(&seen, own.data(), 0));
    square<<<(n + 127) / 128, 128>>>(seen, n);
    OK(cudaDeviceSynchronize());
    IS(own[17] == 9);
    OK(cudaHostUnregister(own.data()));
    float *plain;
    OK(cudaMalloc(&plain, 16));
    OK(cudaPointerGetAttributes(&attributes, plain));
    IS(attributes.type == cudaMemoryTypeDevice && attributes.device == 0 && attributes.devicePointer == plain);
    OK(cudaFree(plain));
    OK(cudaFree(p));
    OK(cudaFreeHost(mapped));
    puts("managed memory is right");
}
