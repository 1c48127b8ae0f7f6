// A histogram in shared memory with plain increments.
// Race: two threads read the same count, and one of their increments is lost.
// Fix: atomicAdd().
#include "common.cuh"

__global__ void histogram(const int *in, int *counts) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    int bin = in[blockIdx.x * 256 + t] % 16;
#ifdef RACY
    bins[bin]++; // race
#else
    atomicAdd(&bins[bin], 1);
#endif
    __syncthreads();
    if (t < 16) atomicAdd(&counts[t], bins[t]);
}

int main() {
    std::vector<int> in = numbers(4 * 256), expected(16);
    for (int value : in) expected[value % 16]++;
    int *counts = on_device(std::vector<int>(16));
    histogram<<<4, 256>>>(on_device(in), counts);
    return answer(on_host(counts, 16) == expected);
}
