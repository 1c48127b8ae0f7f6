// Parts of a device: its multiprocessors are split, and a context has some of them.
// nvcc: -lcuda
// device: h100
#include "common.cuh"
#include <cuda.h>

#define DRIVER_OK(call) IS((call) == CUDA_SUCCESS)

__global__ void add(int *p) {
    atomicAdd(p, 1);
}

int main() {
    int *p, host = 0, sms = 0;
    OK(cudaMalloc(&p, sizeof host));
    OK(cudaMemset(p, 0, sizeof host));
    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUcontext primary, current;
    DRIVER_OK(cuCtxGetCurrent(&primary));
    CUdevResource all = {}, groups[2] = {}, rest = {}, got = {};
    DRIVER_OK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    IS(all.type == CU_DEV_RESOURCE_TYPE_SM && (int)all.sm.smCount == sms);
    IS(all.sm.minSmPartitionSize == 8 && all.sm.smCoscheduledAlignment == 8);
    // As many groups as asked for, and what is left.
    unsigned count = 2;
    DRIVER_OK(cuDevSmResourceSplitByCount(groups, &count, &all, &rest, 0, 10));
    IS(count == 2 && groups[0].sm.smCount == 16 && groups[1].sm.smCount == 16 && (int)rest.sm.smCount == sms - 32);
    IS(cuDevSmResourceSplitByCount(groups, &count, &all, &rest, 0, sms + 1) == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    IS(cuDeviceGetDevResource(0, &got, (CUdevResourceType)77) == CUDA_ERROR_INVALID_RESOURCE_TYPE);

    CUdevResourceDesc description;
    DRIVER_OK(cuDevResourceGenerateDesc(&description, groups, 1));
    CUgreenCtx green, of = nullptr;
    IS(cuGreenCtxCreate(&green, description, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER_OK(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    DRIVER_OK(cuGreenCtxGetDevResource(green, &got, CU_DEV_RESOURCE_TYPE_SM));
    IS(got.sm.smCount == 16);
    CUcontext context;
    DRIVER_OK(cuCtxFromGreenCtx(&context, green));
    IS(context != primary);
    got = {};
    DRIVER_OK(cuCtxGetDevResource(context, &got, CU_DEV_RESOURCE_TYPE_SM));
    IS(got.sm.smCount == 16);

    // A stream of it runs the program's kernels, on the same memory.
    CUstream stream;
    DRIVER_OK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    DRIVER_OK(cuStreamGetGreenCtx(stream, &of));
    IS(of == green);
    add<<<4, 32, 0, stream>>>(p);
    OK(cudaGetLastError());
    CUevent event;
    DRIVER_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    DRIVER_OK(cuEventRecord(event, stream));
    DRIVER_OK(cuEventSynchronize(event));
    OK(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host == 128);
    DRIVER_OK(cuGreenCtxRecordEvent(green, event));
    DRIVER_OK(cuGreenCtxWaitEvent(green, event));
    DRIVER_OK(cuEventDestroy(event));
    DRIVER_OK(cuStreamDestroy(stream));

    // It can be current like any other.
    DRIVER_OK(cuCtxSetCurrent(context));
    DRIVER_OK(cuCtxGetCurrent(&current));
    IS(current == context);
    DRIVER_OK(cuCtxSynchronize());
    DRIVER_OK(cuCtxSetCurrent(primary));
    DRIVER_OK(cuGreenCtxDestroy(green));
    OK(cudaFree(p));
    puts("green contexts are right");
}
