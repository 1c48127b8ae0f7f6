// Errors: what wrong calls return, and the last error. The checks find the last mistake.
// code: 1
#include "common.cuh"

__global__ void nothing() {}
__global__ void set(int *p) {
    *p = 1;
}

int main() {
    IS(cudaGetLastError() == cudaSuccess);
    nothing<<<0, 1>>>();
    IS(cudaPeekAtLastError() == cudaErrorInvalidValue);
    IS(cudaGetLastError() == cudaErrorInvalidValue);
    IS(cudaGetLastError() == cudaSuccess);
    nothing<<<1, 2048>>>();
    IS(cudaGetLastError() == cudaErrorInvalidValue);
    nothing<<<dim3(1, 70000), 1>>>();
    IS(cudaGetLastError() == cudaErrorInvalidValue);
    nothing<<<1, 1, 1 << 20>>>();
    IS(cudaGetLastError() == cudaErrorInvalidValue);
    void *none[1] = {};
    IS(CODE(cudaLaunchCooperativeKernel((const void *)nothing, dim3(1 << 20), dim3(64), none, 0, 0)) ==
       cudaErrorCooperativeLaunchTooLarge);
    void *p = nullptr;
    IS(CODE(cudaMalloc(&p, (size_t)1 << 60)) == cudaErrorMemoryAllocation);
    IS(CODE(cudaMalloc(nullptr, 4)) == cudaErrorInvalidValue);
    OK(cudaMalloc(&p, 0));
    IS(p == nullptr);
    OK(cudaMallocManaged(&p, 0));
    int host = 0;
    IS(CODE(cudaFree(&host)) == cudaErrorInvalidValue);
    IS(CODE(cudaMemcpy(&host, &host, 4, (cudaMemcpyKind)9)) == cudaErrorInvalidMemcpyDirection);
    OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(nullptr, nullptr, 0, (cudaMemcpyKind)9));
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
    // A lost context stays lost, though the last error is forgotten when it is read.
    set<<<1, 1>>>(nullptr);
    IS(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    IS(cudaGetLastError() == cudaErrorIllegalAddress);
    IS(cudaGetLastError() == cudaSuccess);
    IS(cudaMalloc(&p, 4) == cudaErrorIllegalAddress);
    puts("errors are right");
}
