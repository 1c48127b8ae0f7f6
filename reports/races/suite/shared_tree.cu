// A sum by a tree in shared memory, without a barrier between its levels.
// Race: a level reads sums that other threads write in the level before.
// Fix: __syncthreads() after each level.
#include "common.cuh"

__global__ void sum(const int *in, int *out) {
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half]; // race
#ifndef RACY
        __syncthreads();
#endif
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

int main() {
    std::vector<int> in = numbers(4 * 256), expected(4);
    for (int i = 0; i < 4 * 256; i++) expected[i / 256] += in[i];
    int *out = on_device(std::vector<int>(4));
    sum<<<4, 256>>>(on_device(in), out);
    return answer(on_host(out, 4) == expected);
}
