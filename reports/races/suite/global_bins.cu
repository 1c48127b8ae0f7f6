// A histogram in global memory with plain increments.
// Race: two threads read the same count, and one of their increments is lost.
// Fix: atomicAdd().
#include "common.cuh"

__global__ void histogram(const int *in, int *counts) {
    int bin = in[blockIdx.x * blockDim.x + threadIdx.x] % 16;
#ifdef RACY
    counts[bin]++; // race
#else
    atomicAdd(&counts[bin], 1);
#endif
}

int main() {
    std::vector<int> in = numbers(8 * 128), expected(16);
    for (int value : in) expected[value % 16]++;
    int *counts = on_device(std::vector<int>(16));
    histogram<<<8, 128>>>(on_device(in), counts);
    return answer(on_host(counts, 16) == expected);
}
