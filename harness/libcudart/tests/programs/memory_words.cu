// Words of memory that a stream writes and waits for, many by one call; and the same as a node of a graph.
// nvcc: -lcuda
#include "common.cuh"
#include <cuda.h>
#include <thread>

#define DRIVER_OK(call) IS((call) == CUDA_SUCCESS)

__global__ void add(unsigned *p) {
    *p += 1;
}

static CUstreamBatchMemOpParams writes(CUdeviceptr at, unsigned value) {
    CUstreamBatchMemOpParams op = {};
    op.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    op.writeValue.address = at;
    op.writeValue.value = value;
    return op;
}
static CUstreamBatchMemOpParams waits(CUdeviceptr at, unsigned value) {
    CUstreamBatchMemOpParams op = {};
    op.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    op.waitValue.address = at;
    op.waitValue.value = value;
    op.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
    return op;
}

int main() {
    unsigned *words, *flag, host[4];
    OK(cudaMalloc(&words, sizeof host));
    OK(cudaMemset(words, 0, sizeof host));
    // The kernel's code is loaded now: what loads it later would wait for the stream, which waits for the host.
    add<<<1, 1>>>(words);
    OK(cudaMemset(words, 0, sizeof host));
    OK(cudaMallocHost(&flag, sizeof *flag));
    *(volatile unsigned *)flag = 0;
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUdeviceptr at = (CUdeviceptr)words;

    // It writes, waits until the host lets it go on, and writes in between words of 64 bits and barriers.
    CUstreamBatchMemOpParams ops[5] = {writes(at, 5), waits((CUdeviceptr)flag, 1), {}, {}, writes(at + 4, 6)};
    ops[2].operation = CU_STREAM_MEM_OP_BARRIER;
    ops[3].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    ops[3].writeValue.address = at + 8;
    ops[3].writeValue.value64 = 0x700000008;
    DRIVER_OK(cuStreamBatchMemOp(stream, 5, ops, 0));
    add<<<1, 1, 0, stream>>>(words + 1);
    IS(cudaStreamQuery(stream) == cudaErrorNotReady);
    std::thread lets([&] { *(volatile unsigned *)flag = 1; });
    OK(cudaStreamSynchronize(stream));
    lets.join();
    OK(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 5 && host[1] == 7 && host[2] == 8 && host[3] == 7);

    // A graph's node.
    CUcontext context;
    DRIVER_OK(cuCtxGetCurrent(&context));
    CUgraph graph;
    DRIVER_OK(cuGraphCreate(&graph, 0));
    ops[0] = writes(at, 50);
    ops[1] = writes(at + 4, 60);
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {context, 2, ops, 0}, got = {};
    CUgraphNode node;
    DRIVER_OK(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
    CUgraphNodeType type;
    DRIVER_OK(cuGraphNodeGetType(node, &type));
    IS(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    ops[0] = writes(at, 51);
    DRIVER_OK(cuGraphBatchMemOpNodeGetParams(node, &got));
    IS(got.ctx == context && got.count == 2 && got.flags == 0 && got.paramArray[0].writeValue.value == 50);
    DRIVER_OK(cuGraphBatchMemOpNodeSetParams(node, &params));
    CUgraphExec exec;
    DRIVER_OK(cuGraphInstantiate(&exec, graph, 0));
    DRIVER_OK(cuGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 51 && host[1] == 60);
    ops[1] = writes(at + 4, 61);
    DRIVER_OK(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    DRIVER_OK(cuGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 51 && host[1] == 61);

    // Captured.
    CUgraph captured;
    DRIVER_OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    DRIVER_OK(cuStreamBatchMemOp(stream, 2, ops, 0));
    DRIVER_OK(cuStreamWriteValue32(stream, at + 8, 1, 0));
    DRIVER_OK(cuStreamEndCapture(stream, &captured));
    size_t count = 0;
    DRIVER_OK(cuGraphGetNodes(captured, nullptr, &count));
    IS(count == 2);
    CUgraphNode nodes[2];
    DRIVER_OK(cuGraphGetNodes(captured, nodes, &count));
    for (CUgraphNode one : nodes) {
        DRIVER_OK(cuGraphNodeGetType(one, &type));
        IS(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    }

    // What must be right.
    IS(cuStreamBatchMemOp(stream, 1, ops, 1) == CUDA_ERROR_INVALID_VALUE);
    ops[0] = writes(at + 2, 1);
    IS(cuStreamBatchMemOp(stream, 1, ops, 0) == CUDA_ERROR_INVALID_VALUE);
    ops[0].operation = (CUstreamBatchMemOpType)77;
    IS(cuStreamBatchMemOp(stream, 1, ops, 0) == CUDA_ERROR_INVALID_VALUE);

    DRIVER_OK(cuGraphExecDestroy(exec));
    DRIVER_OK(cuGraphDestroy(graph));
    DRIVER_OK(cuGraphDestroy(captured));
    OK(cudaStreamDestroy(stream));
    OK(cudaFreeHost(flag));
    OK(cudaFree(words));
    puts("words of memory are right");
}
