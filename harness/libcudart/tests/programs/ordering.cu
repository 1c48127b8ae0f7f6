// What waits for what: the legacy default stream, streams that do not block, events between streams, and queries.
#include "common.cuh"

__global__ void slow(int *p, int value) {
    for (int i = 0; i < 2000; i++) atomicAdd(p + 1, 1);
    *p = value;
}
__global__ void copy(const int *from, int *to) {
    *to = *from;
}

int main() {
    int *p, *q, host[2] = {};
    OK(cudaMalloc(&p, 2 * sizeof *p));
    OK(cudaMalloc(&q, 2 * sizeof *q));
    OK(cudaMemset(p, 0, 2 * sizeof *p));
    cudaStream_t blocking, free_running;
    OK(cudaStreamCreate(&blocking));
    OK(cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking));
    // The default stream waits for the first, and the first for it.
    slow<<<1, 1, 0, blocking>>>(p, 1);
    copy<<<1, 1>>>(p, q);
    slow<<<1, 1, 0, blocking>>>(p, 2);
    OK(cudaStreamSynchronize(0));
    OK(cudaMemcpy(host, q, sizeof *host, cudaMemcpyDeviceToHost));
    IS(host[0] == 1);
    // The second waits only for an event.
    cudaEvent_t event;
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync));
    slow<<<1, 1, 0, blocking>>>(p, 3);
    OK(cudaEventRecordWithFlags(event, blocking, cudaEventRecordDefault));
    OK(cudaStreamWaitEvent(free_running, event, cudaEventWaitDefault));
    copy<<<1, 1, 0, free_running>>>(p, q);
    OK(cudaMemcpyAsync(host, q, sizeof *host, cudaMemcpyDeviceToHost, free_running));
    OK(cudaStreamSynchronize(free_running));
    IS(host[0] == 3);
    cudaError_t state = cudaStreamQuery(blocking);
    IS(state == cudaSuccess || state == cudaErrorNotReady);
    cudaGetLastError();
    OK(cudaDeviceSynchronize());
    OK(cudaStreamQuery(blocking));
    OK(cudaEventQuery(event));
    // An event that was never recorded has happened.
    cudaEvent_t never;
    OK(cudaEventCreate(&never));
    OK(cudaEventQuery(never));
    OK(cudaStreamWaitEvent(free_running, never, 0));
    OK(cudaEventSynchronize(never));
    OK(cudaEventDestroy(never));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(blocking));
    OK(cudaStreamDestroy(free_running));
    OK(cudaFree(p));
    OK(cudaFree(q));
    puts("the order is right");
}
