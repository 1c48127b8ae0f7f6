// Conditional nodes of graphs: a loop until a kernel ends it, one of two bodies, one of several; and a condition in a
// condition. Each body is built by nodes or by capture.
// nvcc: -rdc=true
#include "common.cuh"

__global__ void store(int *p, int value) { *p = value; }

__global__ void add(int *p, int value) { *p += value; }

// Goes on as long as the number is not 1: Collatz.
__global__ void step(int *n, int *steps, cudaGraphConditionalHandle again) {
    *n = *n % 2 ? 3 * *n + 1 : *n / 2;
    *steps += 1;
    cudaGraphSetConditional(again, *n != 1);
}

__global__ void choose(const int *n, cudaGraphConditionalHandle which) { cudaGraphSetConditional(which, *n); }

static cudaGraphNode_t conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                   cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t *bodies) {
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    cudaGraphNode_t node;
    OK(cudaGraphAddNode(&node, graph, &after, nullptr, after ? 1 : 0, &params));
    for (unsigned i = 0; i < size; i++) bodies[i] = params.conditional.phGraph_out[i];
    return node;
}

template <class... P, class... A> cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after, void (*f)(P...), A... a) {
    void *arguments[] = {&a...};
    cudaKernelNodeParams params = {};
    params.func = (void *)f;
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, graph, after ? &after : nullptr, after ? 1 : 0, &params));
    return node;
}

static int value(const int *p) {
    int host;
    OK(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
    return host;
}

static void run(cudaGraphExec_t exec) {
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
}

static void loops(int *n, int *steps) {
    cudaGraph_t graph, body;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle again;
    OK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t start = kernel(graph, nullptr, store, steps, 0);
    conditional(graph, start, again, cudaGraphCondTypeWhile, 1, &body);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
    step<<<1, 1, 0, stream>>>(n, steps, again);
    OK(cudaStreamEndCapture(stream, nullptr));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int first : {6, 27, 97}) {
        store<<<1, 1>>>(n, first);
        run(exec);
        printf("%d comes to 1 in %d steps\n", first, value(steps));
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

static void decides(int *n, int *out) {
    cudaGraph_t graph, branch[2], cases[3], inner;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle if_handle, case_handle, inner_handle;
    OK(cudaGraphConditionalHandleCreate(&if_handle, graph, 0, 0));
    OK(cudaGraphConditionalHandleCreate(&case_handle, graph, 0, 0));
    cudaGraphNode_t at = kernel(graph, nullptr, store, out, 0);
    at = kernel(graph, at, choose, n, if_handle);
    at = kernel(graph, at, choose, n, case_handle);
    at = conditional(graph, at, if_handle, cudaGraphCondTypeIf, 2, branch);
    kernel(branch[0], nullptr, add, out, 1000);
    kernel(branch[1], nullptr, add, out, 2000);
    at = conditional(graph, at, case_handle, cudaGraphCondTypeSwitch, 3, cases);
    for (int i = 0; i < 3; i++) kernel(cases[i], nullptr, add, out, 10 * (i + 1));
    // In the third case another condition, which is always true.
    OK(cudaGraphConditionalHandleCreate(&inner_handle, cases[2], 1, cudaGraphCondAssignDefault));
    conditional(cases[2], nullptr, inner_handle, cudaGraphCondTypeIf, 1, &inner);
    kernel(inner, nullptr, add, n, 7);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 5; i++) {
        store<<<1, 1>>>(n, i);
        run(exec);
        printf("%d gives %d, and is %d then\n", i, value(out), value(n));
    }
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(at, &type));
    IS(type == cudaGraphNodeTypeConditional);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

int main() {
    int *p;
    OK(cudaMalloc(&p, 2 * sizeof *p));
    loops(p, p + 1);
    decides(p, p + 1);
    OK(cudaFree(p));
}
