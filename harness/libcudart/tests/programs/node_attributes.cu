// Attributes of kernels in graphs, and of streams.
#include "common.cuh"
#include <cooperative_groups.h>

__global__ void all_together(int *p) {
    auto grid = cooperative_groups::this_grid();
    if (!grid.is_valid()) {
        p[0] = -1;
        return;
    }
    atomicAdd(&p[0], 1);
    grid.sync();
    if (grid.thread_rank() == 0) p[1] = p[0];
}

static cudaGraphNode_t added(cudaGraph_t graph, int *p) {
    void *arguments[] = {&p};
    cudaKernelNodeParams params = {};
    params.func = (void *)all_together;
    params.gridDim = dim3(2);
    params.blockDim = dim3(32);
    params.kernelParams = arguments;
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    return node;
}

int main() {
    int *p, host[2];
    OK(cudaMalloc(&p, sizeof host));
    cudaStream_t stream;
    OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t node = added(graph, p), nothing;
    cudaLaunchAttributeValue value = {};
    value.cooperative = 9;
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value));
    IS(value.cooperative == 0);
    value.cooperative = 1;
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &value));
    value = {};
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value));
    IS(value.cooperative == 1);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaMemset(p, 0, sizeof host));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 64 && host[1] == 64);

    // A priority is kept within the device's range.
    value = {};
    value.priority = -2;
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value));
    value.priority = 7;
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value));
    IS(value.priority == -2);
    value.priority = -99;
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value));
    int least, greatest;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value));
    IS(value.priority == greatest);
    value = {};
    value.accessPolicyWindow.hitProp = cudaAccessPropertyStreaming;
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    value = {};
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value));
    IS(value.accessPolicyWindow.hitProp == cudaAccessPropertyStreaming);

    // From one kernel to another.
    cudaGraphNode_t other = added(graph, p);
    OK(cudaGraphKernelNodeCopyAttributes(other, node));
    value = {};
    OK(cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributePriority, &value));
    IS(value.priority == greatest);
    value = {};
    OK(cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributeCooperative, &value));
    IS(value.cooperative == 1);

    // What a launch that is captured asks for is the node's.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    cudaLaunchAttribute together;
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config = {dim3(2), dim3(32), 0, stream, &together, 1};
    OK(cudaLaunchKernelEx(&config, all_together, p));
    cudaGraph_t captured;
    OK(cudaStreamEndCapture(stream, &captured));
    size_t one = 1;
    cudaGraphNode_t kernel;
    OK(cudaGraphGetNodes(captured, &kernel, &one));
    value = {};
    OK(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributeCooperative, &value));
    IS(value.cooperative == 1);
    value = {};
    OK(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributePriority, &value));
    IS(value.priority == -1);
    // Other parameters leave the attributes as they are.
    cudaKernelNodeParams params = {};
    params.func = (void *)all_together;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    void *arguments[] = {&p};
    params.kernelParams = arguments;
    OK(cudaGraphKernelNodeSetParams(kernel, &params));
    OK(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributeCooperative, &value));
    IS(value.cooperative == 1);

    OK(cudaGraphAddEmptyNode(&nothing, graph, nullptr, 0));
    IS(CODE(cudaGraphKernelNodeGetAttribute(nothing, cudaLaunchAttributePriority, &value)) == cudaErrorInvalidValue);
    IS(CODE(cudaGraphKernelNodeCopyAttributes(nothing, node)) == cudaErrorInvalidValue);
    IS(CODE(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeSynchronizationPolicy, &value)) == cudaErrorInvalidValue);

    // Streams.
    value.syncPolicy = cudaSyncPolicyYield;
    OK(cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
    value = {};
    OK(cudaStreamGetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
    IS(value.syncPolicy == cudaSyncPolicyYield);
    value = {};
    OK(cudaStreamGetAttribute(stream, cudaLaunchAttributePriority, &value));
    IS(value.priority == -1);
    value.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    OK(cudaStreamSetAttribute(stream, cudaLaunchAttributeMemSyncDomain, &value));
    value = {};
    OK(cudaStreamGetAttribute(stream, cudaLaunchAttributeMemSyncDomain, &value));
    IS(value.memSyncDomain == cudaLaunchMemSyncDomainRemote);

    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(captured));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(p));
    puts("attributes of nodes are right");
}
