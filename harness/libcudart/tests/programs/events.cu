// Events: when they have happened, what may be timed, and what wrong uses of them return.
#include "common.cuh"

__global__ void work(int *p, int rounds) {
    for (int i = 0; i < rounds; i++) atomicAdd(p, 1);
}

int main() {
    int *p;
    OK(cudaMalloc(&p, sizeof *p));
    OK(cudaMemset(p, 0, sizeof *p));
    cudaEvent_t start, middle, end, untimed;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreateWithFlags(&middle, cudaEventBlockingSync));
    OK(cudaEventCreateWithFlags(&end, cudaEventDefault));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    float ms = -1, first = -1, second = -1;
    // One that was never recorded counts as done, but cannot be timed.
    OK(cudaEventQuery(start));
    IS(CODE(cudaEventElapsedTime(&ms, start, end)) == cudaErrorInvalidResourceHandle);

    OK(cudaEventRecord(start));
    work<<<1, 32>>>(p, 10);
    OK(cudaEventRecord(middle));
    work<<<1, 32>>>(p, 100);
    OK(cudaEventRecord(end));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&first, start, middle));
    OK(cudaEventElapsedTime(&second, middle, end));
    OK(cudaEventElapsedTime(&ms, start, end));
    IS(first >= 0 && second >= 0 && ms >= first && ms >= second);
    // The other way round the time is negative.
    float back;
    OK(cudaEventElapsedTime(&back, end, start));
    IS(back <= 0);
    // Recorded again, an event stands for the later moment.
    work<<<1, 32>>>(p, 100);
    OK(cudaEventRecord(middle));
    OK(cudaEventSynchronize(middle));
    OK(cudaEventElapsedTime(&second, end, middle));
    IS(second >= 0);
    OK(cudaEventRecord(untimed));
    OK(cudaEventSynchronize(untimed));
    IS(CODE(cudaEventElapsedTime(&ms, start, untimed)) == cudaErrorInvalidResourceHandle);
    IS(CODE(cudaEventElapsedTime(nullptr, start, end)) == cudaErrorInvalidValue);

    IS(CODE(cudaEventCreateWithFlags(&end, 0x80)) == cudaErrorInvalidValue);
    IS(CODE(cudaEventCreate(nullptr)) == cudaErrorInvalidValue);
    IS(CODE(cudaEventRecord(nullptr)) == cudaErrorInvalidResourceHandle);
    int host;
    OK(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host == 32 * 210);
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(middle));
    OK(cudaEventDestroy(end));
    OK(cudaEventDestroy(untimed));
    OK(cudaFree(p));
    puts("events are right");
}
