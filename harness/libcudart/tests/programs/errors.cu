// Errors: what wrong calls return, and the last error.
#include "common.cuh"

__global__ void nothing() {}
__global__ void out_of_bounds(int *p) {
    p[threadIdx.x + (1 << 30)] = 1;
}

int main() {
    IS(cudaGetLastError() == cudaSuccess);
    nothing<<<0, 1>>>();
    IS(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    IS(cudaGetLastError() == cudaErrorInvalidConfiguration);
    IS(cudaGetLastError() == cudaSuccess);
    nothing<<<1, 2048>>>();
    IS(cudaGetLastError() == cudaErrorInvalidConfiguration);
    nothing<<<dim3(1, 70000), 1>>>();
    IS(cudaGetLastError() == cudaErrorInvalidConfiguration);
    nothing<<<1, 1, 1 << 20>>>();
    IS(cudaGetLastError() == cudaErrorInvalidValue);
    void *p = nullptr;
    IS(CODE(cudaMalloc(&p, (size_t)1 << 60)) == cudaErrorMemoryAllocation);
    IS(CODE(cudaMalloc(nullptr, 4)) == cudaErrorInvalidValue);
    OK(cudaMalloc(&p, 0));
    IS(p == nullptr);
    IS(CODE(cudaMallocManaged(&p, 0)) == cudaErrorInvalidValue);
    int host = 0;
    IS(CODE(cudaFree(&host)) == cudaErrorInvalidValue);
    IS(CODE(cudaMemcpy(&host, &host, 4, (cudaMemcpyKind)9)) == cudaErrorInvalidMemcpyDirection);
    OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    IS(CODE(cudaSetDevice(999)) == cudaErrorInvalidDevice);
    // A success clears nothing.
    cudaSetDevice(999);
    OK(cudaSetDevice(0));
    IS(cudaGetLastError() == cudaErrorInvalidDevice);
    cudaEvent_t event;
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    float ms;
    IS(CODE(cudaEventElapsedTime(&ms, event, event)) == cudaErrorInvalidResourceHandle);
    printf("%s: %s\n", cudaGetErrorName(cudaErrorInvalidDevice), cudaGetErrorString(cudaErrorInvalidDevice));
    printf("%s: %s\n", cudaGetErrorName(cudaErrorIllegalAddress), cudaGetErrorString(cudaErrorIllegalAddress));
    printf("%s\n", cudaGetErrorString((cudaError_t)12345));
    // A lost context stays lost.
    int *q;
    OK(cudaMalloc(&q, 4));
    out_of_bounds<<<1, 1>>>(q);
    IS(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    IS(cudaGetLastError() == cudaErrorIllegalAddress);
    IS(cudaGetLastError() == cudaErrorIllegalAddress);
    IS(cudaMalloc(&p, 4) == cudaErrorIllegalAddress);
    puts("errors are right");
}
