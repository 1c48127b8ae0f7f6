// A kernel that the program compiles while it runs, by NVRTC, with a constant that only then is known; it is loaded and
// launched by the driver's functions, and works on memory of the runtime. A mistake in a kernel is reported with its line.
// nvcc: -lnvrtc -lcuda
#include "common.cuh"
#include <cstring>
#include <cuda.h>
#include <nvrtc.h>
#include <string>

#define DRIVER(call) IS((call) == CUDA_SUCCESS)
#define NVRTC(call) IS((call) == NVRTC_SUCCESS)

static const char *SOURCE = R"(
template <typename T, int POWER> __global__ void raise(const T *in, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T product = 1;
    for (int k = 0; k < POWER; k++) product *= in[i];
    out[i] = product;
}
)";

int main() {
    int major, minor, n = 1000;
    OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    OK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    std::string part = "--gpu-architecture=compute_" + std::to_string(10 * major + minor);
    const char *options[] = {part.c_str(), "--std=c++17"};

    nvrtcProgram wrong;
    NVRTC(nvrtcCreateProgram(&wrong, "__global__ void f() {\n  undefined = 1;\n}", "wrong.cu", 0, nullptr, nullptr));
    IS(nvrtcCompileProgram(wrong, 2, options) == NVRTC_ERROR_COMPILATION);
    size_t size;
    NVRTC(nvrtcGetProgramLogSize(wrong, &size));
    std::string log(size, '\0');
    NVRTC(nvrtcGetProgramLog(wrong, log.data()));
    puts(log.substr(0, log.find('\n')).c_str());
    NVRTC(nvrtcDestroyProgram(&wrong));

    nvrtcProgram program;
    NVRTC(nvrtcCreateProgram(&program, SOURCE, "raise.cu", 0, nullptr, nullptr));
    std::string wanted = "raise<double, " + std::to_string(3) + ">";
    NVRTC(nvrtcAddNameExpression(program, wanted.c_str()));
    NVRTC(nvrtcCompileProgram(program, 2, options));
    const char *lowered;
    NVRTC(nvrtcGetLoweredName(program, wanted.c_str(), &lowered));
    NVRTC(nvrtcGetPTXSize(program, &size));
    std::string ptx(size, '\0');
    NVRTC(nvrtcGetPTX(program, ptx.data()));

    OK(cudaFree(nullptr));
    CUmodule module;
    CUfunction kernel;
    DRIVER(cuModuleLoadData(&module, ptx.data()));
    DRIVER(cuModuleGetFunction(&kernel, module, lowered));
    NVRTC(nvrtcDestroyProgram(&program));
    double *in, *out;
    OK(cudaMallocManaged(&in, n * sizeof *in));
    OK(cudaMallocManaged(&out, n * sizeof *out));
    for (int i = 0; i < n; i++) in[i] = i;
    void *arguments[] = {&in, &out, &n};
    DRIVER(cuLaunchKernel(kernel, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) IS(out[i] == double(i) * i * i);
    DRIVER(cuModuleUnload(module));
    puts("raised");
}
