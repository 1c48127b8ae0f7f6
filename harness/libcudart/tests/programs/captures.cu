// Captures: what is not allowed in one, what a library queries in one, a capture into a graph, memory of a graph.
#include "common.cuh"

__global__ void add(int *p, int value) {
    p[threadIdx.x] += value;
}

int main() {
    int *p, host[32] = {};
    OK(cudaMalloc(&p, sizeof host));
    OK(cudaMemset(p, 0, sizeof host));
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    add<<<1, 32, 0, stream>>>(p, 1);
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    cudaGraph_t graph;
    const cudaGraphNode_t *nodes;
    const cudaGraphEdgeData *edges;
    size_t count = 0;
    OK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &edges, &count));
    IS(status == cudaStreamCaptureStatusActive && id != 0 && count == 1);
    // A node that the library adds itself, and on which the capture goes on.
    cudaGraphNode_t extra;
    int value = 10;
    void *arguments[] = {&p, &value};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    params.kernelParams = arguments;
    OK(cudaGraphAddKernelNode(&extra, graph, nodes, count, &params));
    OK(cudaStreamUpdateCaptureDependencies(stream, &extra, nullptr, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 32, 0, stream>>>(p, 100);
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphUpload(exec, stream));
    for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) IS(host[i] == 333);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    // A capture that breaks a rule is void.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, stream>>>(p, 1);
    IS(CODE(cudaStreamSynchronize(stream)) == cudaErrorStreamCaptureUnsupported);
    IS(CODE(cudaStreamEndCapture(stream, &graph)) == cudaErrorStreamCaptureInvalidated);
    // Memory that only the graph has.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    int *own;
    OK(cudaMallocAsync(&own, sizeof host, stream));
    OK(cudaMemsetAsync(own, 0, sizeof host, stream));
    add<<<1, 32, 0, stream>>>(own, 5);
    OK(cudaMemcpyAsync(host, own, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(own, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[0] == 5 && host[31] == 5);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(p));
    puts("captures are right");
}
