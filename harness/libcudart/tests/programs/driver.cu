// The driver's own functions next to the runtime's, found through the runtime.
#include "common.cuh"
#include <cuda.h>

__global__ void set(int *p) {
    *p = 42;
}

int main() {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &found, 12000, cudaEnableDefault, &status));
    IS(status == cudaDriverEntryPointSuccess && found);
    CUcontext context = nullptr;
    OK(cudaFree(0));
    IS(((CUresult(*)(CUcontext *))found)(&context) == CUDA_SUCCESS && context);
    OK(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &found, 12000, cudaEnableDefault, &status));
    IS(status == cudaDriverEntryPointSymbolNotFound);
    cudaFunction_t function;
    OK(cudaGetFuncBySymbol(&function, (const void *)set));
    OK(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &found, 12000, cudaEnableDefault, &status));
    int *p, host = 0;
    OK(cudaMalloc(&p, sizeof *p));
    void *arguments[] = {&p};
    auto launch = (decltype(&cuLaunchKernel))found;
    IS(launch(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
    OK(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host == 42);
    OK(cudaFree(p));
    puts("the driver is right");
}
