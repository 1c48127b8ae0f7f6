// A prefix sum of blocks by look-back, without fences between a sum and its flag.
// Race: a block may see the flag of the block before it, and an older sum.
// Fix: __threadfence() before the flag is set and after it is seen.
#include "common.cuh"

__global__ void scan(const int *in, int *sums, volatile int *flags, int *out) {
    __shared__ int before;
    int block = blockIdx.x, t = threadIdx.x;
    if (t == 0) {
        before = 0;
        if (block > 0) {
            while (flags[block - 1] == 0) {}
#ifndef RACY
            __threadfence();
#endif
            before = sums[block - 1]; // race
        }
        int total = before;
        for (int i = 0; i < 32; i++) total += in[block * 32 + i];
        sums[block] = total; // race
#ifndef RACY
        __threadfence();
#endif
        flags[block] = 1;
    }
    __syncthreads();
    int sum = before;
    for (int i = 0; i <= t; i++) sum += in[block * 32 + i];
    out[block * 32 + t] = sum;
}

int main() {
    std::vector<int> in = numbers(16 * 32), expected(16 * 32);
    for (int i = 0, sum = 0; i < 16 * 32; i++) expected[i] = sum += in[i];
    int *out = on_device(std::vector<int>(16 * 32));
    scan<<<16, 32>>>(on_device(in), on_device(std::vector<int>(16)), on_device(std::vector<int>(16)), out);
    return answer(on_host(out, 16 * 32) == expected);
}
