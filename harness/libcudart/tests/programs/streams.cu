// Streams: order, priorities, callbacks, host functions, and the pools that memory comes from.
#include "common.cuh"
#include <string>

__global__ void increment(int *p) {
    ++*p;
}
static std::string said;
static void CUDART_CB say(void *word) {
    said += (const char *)word;
}
static void CUDART_CB back(cudaStream_t, cudaError_t status, void *word) {
    if (status == cudaSuccess) said += (const char *)word;
}

int main() {
    int least, greatest;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    IS(greatest <= least);
    cudaStream_t high, low;
    OK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    OK(cudaStreamCreate(&low));
    int priority;
    OK(cudaStreamGetPriority(high, &priority));
    IS(priority == greatest);
    unsigned flags;
    OK(cudaStreamGetFlags(high, &flags));
    IS(flags == cudaStreamNonBlocking);
    unsigned long long a, b;
    OK(cudaStreamGetId(high, &a));
    OK(cudaStreamGetId(low, &b));
    IS(a != b);
    int *p, n = 0;
    OK(cudaMallocAsync(&p, sizeof *p, high));
    OK(cudaMemsetAsync(p, 0, sizeof *p, high));
    for (int i = 0; i < 10; i++) increment<<<1, 1, 0, high>>>(p);
    OK(cudaLaunchHostFunc(high, say, (void *)"one "));
    OK(cudaStreamAddCallback(high, back, (void *)"two ", 0));
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    OK(cudaEventRecord(event, high));
    OK(cudaStreamWaitEvent(low, event, 0));
    increment<<<1, 1, 0, low>>>(p);
    OK(cudaMemcpyAsync(&n, p, sizeof n, cudaMemcpyDeviceToHost, low));
    OK(cudaStreamSynchronize(low));
    IS(n == 11);
    OK(cudaDeviceSynchronize());
    printf("%s\n", said.c_str());
    OK(cudaFreeAsync(p, low));
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = 1 << 20, read = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
    IS(read == threshold);
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t own;
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaMallocFromPoolAsync((void **)&p, 4096, own, low));
    OK(cudaMemsetAsync(p, 1, 4096, low));
    OK(cudaFreeAsync(p, low));
    OK(cudaStreamSynchronize(low));
    OK(cudaMemPoolTrimTo(own, 0));
    OK(cudaMemPoolDestroy(own));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(high));
    OK(cudaStreamDestroy(low));
    puts("streams are right");
}
