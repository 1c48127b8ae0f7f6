// A spin lock without fences around a plain update.
// Race: the atomics of the lock order only the lock, so that a block may read the sum before the last update is visible.
// Fix: __threadfence() after the lock is taken and before it is released.
#include "common.cuh"

__global__ void add(const int *in, int *lock, int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
#ifndef RACY
        __threadfence();
#endif
        *sum += in[blockIdx.x]; // race
#ifndef RACY
        __threadfence();
#endif
        atomicExch(lock, 0);
    }
}

int main() {
    std::vector<int> in = numbers(32), expected(1);
    for (int value : in) expected[0] += value;
    int *sum = on_device(std::vector<int>(1));
    add<<<32, 32>>>(on_device(in), on_device(std::vector<int>(1)), sum);
    return answer(on_host(sum, 1) == expected);
}
