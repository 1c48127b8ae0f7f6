// Lanes of one warp that hand values to each other through global memory, in two branches.
// Race: nothing orders the branches, so that a lane may read before the other lane has written.
// Fix: __syncwarp() between the branches.
#include "common.cuh"

__global__ void exchange(int *slots, int *out) {
    int lane = threadIdx.x, first = blockIdx.x * 32;
    if (lane >= 16) slots[first + lane] = lane * lane; // race
#ifndef RACY
    __syncwarp();
#endif
    if (lane < 16) out[blockIdx.x * 16 + lane] = slots[first + lane + 16]; // race
}

int main() {
    std::vector<int> expected(4 * 16);
    for (int i = 0; i < 4 * 16; i++) expected[i] = (i % 16 + 16) * (i % 16 + 16);
    int *out = on_device(std::vector<int>(4 * 16));
    exchange<<<4, 32>>>(on_device(std::vector<int>(4 * 32)), out);
    return answer(on_host(out, 4 * 16) == expected);
}
