// Graphs: captured from a stream, built node by node, changed, cloned, launched again.
#include "common.cuh"

__device__ int factor = 1;
__global__ void fill(int *p, int value) {
    p[threadIdx.x] = value * factor;
}
__global__ void add(int *p, int value) {
    p[threadIdx.x] += value;
}
static void CUDART_CB count(void *n) {
    ++*(int *)n;
}

int main() {
    int *p, host[32];
    OK(cudaMalloc(&p, sizeof host));
    cudaStream_t stream, other;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&other));
    cudaEvent_t fork, join;
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    // The kernels are launched in a capture before they were ever loaded.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<1, 32, 0, stream>>>(p, 10);
    OK(cudaEventRecord(fork, stream));
    OK(cudaStreamWaitEvent(other, fork, 0));
    add<<<1, 32, 0, other>>>(p, 5);
    OK(cudaEventRecord(join, other));
    OK(cudaStreamWaitEvent(stream, join, 0));
    OK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(stream, &status));
    IS(status == cudaStreamCaptureStatusActive);
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    IS(nodes == 3);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[31] == 15);

    cudaGraph_t built;
    cudaGraphNode_t set, kernel, copy, call;
    OK(cudaGraphCreate(&built, 0));
    cudaMemsetParams zero = {};
    zero.dst = p;
    zero.elementSize = 4;
    zero.width = 32;
    zero.height = 1;
    zero.value = 3;
    OK(cudaGraphAddMemsetNode(&set, built, nullptr, 0, &zero));
    int amount = 4;
    void *arguments[] = {&p, &amount};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    params.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&kernel, built, &set, 1, &params));
    OK(cudaGraphAddMemcpyNode1D(&copy, built, &kernel, 1, host, p, sizeof host, cudaMemcpyDeviceToHost));
    int called = 0;
    cudaHostNodeParams told = {count, &called};
    OK(cudaGraphAddHostNode(&call, built, &copy, 1, &told));
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(copy, &type));
    IS(type == cudaGraphNodeTypeMemcpy);
    cudaKernelNodeParams read = {};
    OK(cudaGraphKernelNodeGetParams(kernel, &read));
    IS(read.func == (void *)add && read.blockDim.x == 32);
    size_t edges = 0;
    OK(cudaGraphGetEdges(built, nullptr, nullptr, nullptr, &edges));
    IS(edges == 3);
    cudaGraphExec_t second;
    OK(cudaGraphInstantiate(&second, built, 0));
    OK(cudaGraphLaunch(second, stream));
    OK(cudaGraphLaunch(second, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[0] == 7 && called == 2);
    amount = 40;
    OK(cudaGraphExecKernelNodeSetParams(second, kernel, &params));
    OK(cudaGraphLaunch(second, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[0] == 43);
    OK(cudaGraphKernelNodeSetParams(kernel, &params));
    cudaGraphExecUpdateResultInfo result;
    OK(cudaGraphExecUpdate(second, built, &result));
    IS(result.result == cudaGraphExecUpdateSuccess);
    cudaGraph_t clone;
    OK(cudaGraphClone(&clone, built));
    cudaGraphNode_t found;
    OK(cudaGraphNodeFindInClone(&found, kernel, clone));
    // A node of any type, by the one call for all of them.
    cudaGraphNodeParams any = {};
    any.type = cudaGraphNodeTypeKernel;
    any.kernel.func = (void *)add;
    any.kernel.gridDim = dim3(1);
    any.kernel.blockDim = dim3(32);
    any.kernel.kernelParams = arguments;
    cudaGraphNode_t last;
    OK(cudaGraphAddNode(&last, clone, &found, nullptr, 1, &any));
    cudaGraphExec_t third;
    OK(cudaGraphInstantiate(&third, clone, 0));
    OK(cudaGraphLaunch(third, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[5] == 83);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphExecDestroy(second));
    OK(cudaGraphExecDestroy(third));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(built));
    OK(cudaGraphDestroy(clone));
    OK(cudaFree(p));
    OK(cudaStreamDestroy(stream));
    OK(cudaStreamDestroy(other));
    puts("graphs are right");
}
