// A program of CUDA 12: compiled with the headers of CUDA 12.9 and linked with libcudart.so.12. Its kernel is compiled by NVRTC,
// because PyPI has no package with nvcc 12. It uses the structures and arguments of calls that CUDA 13 has changed.
#include <cuda_runtime.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call) do { cudaError_t code = (call); if (code != cudaSuccess) { \
    printf("%s: %s, line %d\n", #call, cudaGetErrorName(code), __LINE__); return 1; } } while (0)
#define EXPECT(is) do { if (!(is)) { printf("not so: %s, line %d\n", #is, __LINE__); return 1; } } while (0)
static_assert(CUDART_VERSION >= 12090 && CUDART_VERSION < 13000, "the headers of CUDA 12.9");

static const char *SOURCE = "extern \"C\" __global__ void add(int *x, int n, int by) {"
                            " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += by; }";

static std::vector<char> compiled() {
    nvrtcProgram program;
    nvrtcCreateProgram(&program, SOURCE, "add.cu", 0, nullptr, nullptr);
    const char *options[] = {"--gpu-architecture=compute_75"};
    size_t size = 0;
    if (nvrtcCompileProgram(program, 1, options) != NVRTC_SUCCESS) return {};
    nvrtcGetPTXSize(program, &size);
    std::vector<char> ptx(size);
    nvrtcGetPTX(program, ptx.data());
    return ptx;
}

int main() {
    int version = 0;
    CHECK(cudaRuntimeGetVersion(&version));
    EXPECT(version / 1000 == 12);

    // The properties have fields that CUDA 13 has removed, and others lie elsewhere.
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int clock = 0, mode = 0;
    CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0));
    EXPECT(properties.clockRate == clock && properties.computeMode == mode && properties.warpSize == 32);
    EXPECT(properties.maxThreadsPerBlock == 1024 && properties.memoryClockRate > 0 && properties.multiProcessorCount > 0);
    EXPECT(properties.maxGridSize[1] == 65535 && properties.totalGlobalMem > 1000000 && properties.managedMemory == 1);

    auto ptx = compiled();
    EXPECT(!ptx.empty());
    cudaLibrary_t library;
    cudaKernel_t kernel;
    CHECK(cudaLibraryLoadData(&library, ptx.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "add"));
    const int N = 1000;
    int n = N, by = 5, host[N];
    int *x, *y;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMallocManaged(&y, sizeof host));
    CHECK(cudaMemset(x, 0, sizeof host));
    memset(y, 0, sizeof host);

    // Advice and prefetching name a device by its number.
    CHECK(cudaMemAdvise(y, sizeof host, cudaMemAdviseSetPreferredLocation, 0));
    CHECK(cudaMemPrefetchAsync(y, sizeof host, 0, nullptr));
    CHECK(cudaMemPrefetchAsync(y, sizeof host, cudaCpuDeviceId));
    EXPECT(cudaMemPrefetchAsync(y, sizeof host, 77) == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);

    void *arguments[] = {&x, &n, &by};
    CHECK(cudaLaunchKernel((const void *)kernel, dim3(8), dim3(128), arguments, 0, nullptr));
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[0] == 5 && host[N - 1] == 5);

    // Graphs: dependencies without data, and their capture.
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaLaunchKernel((const void *)kernel, dim3(8), dim3(128), arguments, 0, stream));
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    const cudaGraphNode_t *nodes = nullptr;
    size_t count = 0;
    CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &count));
    EXPECT(status == cudaStreamCaptureStatusActive && count == 1);
    CHECK(cudaMemsetAsync(y, 0, sizeof host, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t all[2], from[2], to[2];
    count = 2;
    CHECK(cudaGraphGetNodes(graph, all, &count));
    size_t edges = 2;
    CHECK(cudaGraphGetEdges(graph, from, to, &edges));
    EXPECT(count == 2 && edges == 1);
    CHECK(cudaGraphInstantiate(&made, graph, 0));
    CHECK(cudaGraphExecDestroy(made));
    CHECK(cudaGraphInstantiateWithFlags(&made, graph, 0));
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(made, graph, &info));
    CHECK(cudaGraphLaunch(made, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[0] == 10 && host[N - 1] == 10);

    cudaEvent_t first, last;
    float ms = -1;
    CHECK(cudaEventCreate(&first));
    CHECK(cudaEventCreate(&last));
    CHECK(cudaEventRecord(first, stream));
    CHECK(cudaEventRecord(last, stream));
    CHECK(cudaEventSynchronize(last));
    CHECK(cudaEventElapsedTime(&ms, first, last));
    EXPECT(ms >= 0);

    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, x));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0 && attributes.devicePointer == x);
    cudaFuncAttributes of_kernel;
    CHECK(cudaFuncGetAttributes(&of_kernel, (const void *)kernel));
    EXPECT(of_kernel.maxThreadsPerBlock == 1024 && of_kernel.numRegs > 0);

    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaLibraryUnload(library));
    CHECK(cudaDeviceReset());
    printf("CUDA %d.%d: all is as it should be\n", version / 1000, version % 1000 / 10);
    return 0;
}
