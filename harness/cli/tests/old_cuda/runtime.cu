#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
__global__ void sum(int *x) {
    int v = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down(v, d);
    for (int d = 1; d < 32; d *= 2) v = __shfl_xor(v, 0), v += 0 * __shfl(v, 0) + 0 * __shfl_up(v, 1);
    int odd = threadIdx.x % 2;
    if (!__any(odd) || __all(odd) || __ballot(odd) != 0xaaaaaaaau) v = -1;
    if (__any(v > 0) && __all(1) && __ballot(1) == 0xffffffffu && threadIdx.x == 0) x[0] = v;
}
__global__ void node() {}
void show(const cudaDeviceProp &p) { printf("%s %d\n", p.name[0] ? "named" : "none", p.clockRate > 0 && p.memoryClockRate > 0); }
struct cudaDeviceProp again;
int main() {
    int n; cudaGetDeviceCount(&n);
    cudaDeviceProp prop;
    memset(&prop, 0, sizeof(prop));
    cudaDeviceProp empty = {}, zero = {0};
    cudaGetDeviceProperties(&prop, 0);
    show(prop); (void)empty; (void)zero;
    printf("%d %d %d %d %d %d\n", prop.deviceOverlap, prop.kernelExecTimeoutEnabled, prop.computeMode == cudaComputeModeDefault, prop.singleToDoublePrecisionPerfRatio, prop.maxTexture1DLinear > 0, prop.cooperativeMultiDeviceLaunch);
    int *x, device, chosen; cudaGetDevice(&device);
    cudaChooseDevice(&chosen, &prop);
    cudaMallocManaged(&x, 128);
    for (int i = 0; i < 32; i++) x[i] = i;
    cudaError_t e[] = {cudaMemAdvise(x, 128, cudaMemAdviseSetReadMostly, device), cudaMemPrefetchAsync(x, 128, device), cudaMemPrefetchAsync(x, 128, cudaCpuDeviceId, 0), cudaMemPrefetchAsync(x, 128, device, NULL)};
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    cudaMemPrefetchAsync(x, 128, here, 0);
    sum<<<1, 32>>>(x);
    cudaThreadSynchronize();
    printf("%d %d%d%d%d\n", x[0], e[0], e[1], e[2], e[3]);
    cudaGraph_t graph; cudaGraphNode_t a, b; cudaGraphCreate(&graph, 0);
    cudaKernelNodeParams k = {}; k.func = (void *)node; k.gridDim = k.blockDim = dim3(1);
    cudaGraphAddKernelNode(&a, graph, 0, 0, &k); cudaGraphAddKernelNode(&b, graph, 0, 0, &k);
    int added = cudaGraphAddDependencies(graph, &a, &b, 1);
    size_t edges = 0; int got = cudaGraphGetEdges(graph, NULL, NULL, &edges);
    cudaGraphExec_t exec; int made = cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
    printf("%d %d %zu %d\n", added, got, edges, made);
    CUcontext context; cuInit(0); printf("%d\n", cuCtxCreate(&context, 0, 0));
    return cudaThreadExit();
}
