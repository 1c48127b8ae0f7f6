// The kinds of nodes that a graph may have: fills, copies of two dimensions, functions of the host, events, memory,
// graphs within graphs; and nodes that are switched off.
#include "common.cuh"

__global__ void add(int *p, int value) {
    p[threadIdx.x] += value;
}
static void CUDART_CB count(void *n) {
    ++*(int *)n;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after, int *p, int value) {
    void *arguments[] = {&p, &value};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    params.kernelParams = arguments;
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &params));
    return node;
}

int main() {
    int *p, host[32], called = 0;
    OK(cudaMalloc(&p, sizeof host));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaEvent_t event;
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));

    // The graph within: two kernels.
    cudaGraph_t inner, outer;
    OK(cudaGraphCreate(&inner, 0));
    kernel(inner, kernel(inner, nullptr, p, 1), p, 2);
    OK(cudaGraphCreate(&outer, 0));
    cudaGraphNode_t set, nothing, child, record, wait, copy, call, off;
    cudaMemsetParams fill = {};
    fill.dst = p;
    fill.elementSize = 4;
    fill.width = 32;
    fill.height = 1;
    fill.value = 10;
    OK(cudaGraphAddMemsetNode(&set, outer, nullptr, 0, &fill));
    OK(cudaGraphAddEmptyNode(&nothing, outer, &set, 1));
    OK(cudaGraphAddChildGraphNode(&child, outer, &nothing, 1, inner));
    OK(cudaGraphAddEventRecordNode(&record, outer, &child, 1, event));
    OK(cudaGraphAddEventWaitNode(&wait, outer, &record, 1, event));
    off = kernel(outer, wait, p, 1000);
    cudaMemcpy3DParms back = {};
    back.srcPtr = make_cudaPitchedPtr(p, 8 * sizeof(int), 8 * sizeof(int), 4);
    back.dstPtr = make_cudaPitchedPtr(host, 8 * sizeof(int), 8 * sizeof(int), 4);
    back.extent = make_cudaExtent(8 * sizeof(int), 4, 1);
    back.kind = cudaMemcpyDeviceToHost;
    OK(cudaGraphAddMemcpyNode(&copy, outer, &off, 1, &back));
    cudaHostNodeParams told = {count, &called};
    OK(cudaGraphAddHostNode(&call, outer, &copy, 1, &told));

    cudaGraphNodeType types[8];
    cudaGraphNode_t nodes[8] = {set, nothing, child, record, wait, off, copy, call};
    for (int i = 0; i < 8; i++) OK(cudaGraphNodeGetType(nodes[i], &types[i]));
    IS(types[0] == cudaGraphNodeTypeMemset && types[1] == cudaGraphNodeTypeEmpty && types[2] == cudaGraphNodeTypeGraph);
    IS(types[3] == cudaGraphNodeTypeEventRecord && types[4] == cudaGraphNodeTypeWaitEvent);
    IS(types[5] == cudaGraphNodeTypeKernel && types[6] == cudaGraphNodeTypeMemcpy && types[7] == cudaGraphNodeTypeHost);
    cudaGraph_t within;
    OK(cudaGraphChildGraphNodeGetGraph(child, &within));
    size_t number = 0;
    OK(cudaGraphGetNodes(within, nullptr, &number));
    IS(number == 2);
    OK(cudaGraphGetRootNodes(outer, nullptr, &number));
    IS(number == 1);

    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, outer, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++) IS(host[i] == 1013);
    IS(called == 1);
    OK(cudaEventQuery(event));
    // A node that is off is passed over, until it is on again.
    OK(cudaGraphNodeSetEnabled(exec, off, 0));
    unsigned is_on = 7;
    OK(cudaGraphNodeGetEnabled(exec, off, &is_on));
    IS(is_on == 0);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[0] == 13);
    OK(cudaGraphNodeSetEnabled(exec, off, 1));
    fill.value = 20;
    OK(cudaGraphExecMemsetNodeSetParams(exec, set, &fill));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    IS(host[31] == 1023 && called == 3);

    // Memory that the graph allocates and frees.
    cudaGraph_t with_memory;
    OK(cudaGraphCreate(&with_memory, 0));
    cudaMemAllocNodeParams wanted = {};
    wanted.poolProps.allocType = cudaMemAllocationTypePinned;
    wanted.poolProps.location.type = cudaMemLocationTypeDevice;
    wanted.bytesize = sizeof host;
    cudaGraphNode_t allocated, freed;
    OK(cudaGraphAddMemAllocNode(&allocated, with_memory, nullptr, 0, &wanted));
    fill.dst = wanted.dptr;
    fill.value = 4;
    OK(cudaGraphAddMemsetNode(&set, with_memory, &allocated, 1, &fill));
    cudaGraphNode_t added = kernel(with_memory, set, (int *)wanted.dptr, 3);
    OK(cudaGraphAddMemcpyNode1D(&copy, with_memory, &added, 1, host, wanted.dptr, sizeof host, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemFreeNode(&freed, with_memory, &copy, 1, wanted.dptr));
    cudaGraphExec_t memory_exec;
    OK(cudaGraphInstantiate(&memory_exec, with_memory, 0));
    for (int round = 0; round < 2; round++) {
        OK(cudaGraphLaunch(memory_exec, stream));
        OK(cudaStreamSynchronize(stream));
        IS(host[5] == 7);
        host[5] = 0;
    }
    OK(cudaDeviceGraphMemTrim(0));

    OK(cudaGraphDestroyNode(off));
    OK(cudaGraphGetNodes(outer, nullptr, &number));
    IS(number == 7);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphExecDestroy(memory_exec));
    OK(cudaGraphDestroy(inner));
    OK(cudaGraphDestroy(outer));
    OK(cudaGraphDestroy(with_memory));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(p));
    puts("nodes of all kinds are right");
}
