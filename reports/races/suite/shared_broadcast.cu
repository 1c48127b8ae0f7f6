// A value that one thread broadcasts in a loop, with a barrier after the store only.
// Race: thread 0 stores the next value before all warps have read the current one.
// Fix: a second __syncthreads() at the end of the loop.
#include "common.cuh"

__global__ void expand(const int *in, int *out, int rows) {
    __shared__ int value;
    int t = threadIdx.x;
    for (int row = 0; row < rows; row++) {
        if (t == 0) value = in[row]; // race
        __syncthreads();
        out[row * 128 + t] = value + t; // race
#ifndef RACY
        __syncthreads();
#endif
    }
}

int main() {
    const int rows = 16;
    std::vector<int> in = numbers(rows), expected(rows * 128);
    for (int i = 0; i < rows * 128; i++) expected[i] = in[i / 128] + i % 128;
    int *out = on_device(std::vector<int>(rows * 128));
    expand<<<1, 128>>>(on_device(in), out, rows);
    return answer(on_host(out, rows * 128) == expected);
}
