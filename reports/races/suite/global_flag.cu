// A block that waits for a flag of another block, without fences.
// Race: the flag orders nothing, so that the data may become visible after it.
// Fix: __threadfence() between data and flag, in the block that writes and in the block that waits.
#include "common.cuh"

__global__ void pass(int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t * t; // race
        __syncthreads();
        if (t == 0) {
#ifndef RACY
            __threadfence();
#endif
            *flag = 1;
        }
    } else {
        if (t == 0) {
            while (*flag == 0) {}
#ifndef RACY
            __threadfence();
#endif
        }
        __syncthreads();
        out[t] = data[127 - t]; // race
    }
}

int main() {
    std::vector<int> expected(128);
    for (int i = 0; i < 128; i++) expected[i] = (127 - i) * (127 - i);
    int *out = on_device(std::vector<int>(128));
    pass<<<2, 128>>>(on_device(std::vector<int>(128)), on_device(std::vector<int>(1)), out);
    return answer(on_host(out, 128) == expected);
}
