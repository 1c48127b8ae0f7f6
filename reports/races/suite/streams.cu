// Two kernels in two streams, of which the second reads what the first writes.
// Race: nothing orders the kernels, which may run at the same time or in any order.
// Fix: an event, for which the second stream waits.
#include "common.cuh"

__global__ void fill(int *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 3 * i; // race
}

__global__ void reverse(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[n - 1 - i]; // race
}

int main() {
    const int n = 1 << 20;
    std::vector<int> expected(n);
    for (int i = 0; i < n; i++) expected[i] = 3 * (n - 1 - i);
    int *x = on_device(std::vector<int>(n)), *y = on_device(std::vector<int>(n));
    cudaStream_t first, second;
    cudaEvent_t filled;
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    OK(cudaEventCreate(&filled));
    fill<<<n / 256, 256, 0, first>>>(x);
#ifndef RACY
    OK(cudaEventRecord(filled, first));
    OK(cudaStreamWaitEvent(second, filled));
#endif
    reverse<<<n / 256, 256, 0, second>>>(x, y, n);
    return answer(on_host(y, n) == expected);
}
