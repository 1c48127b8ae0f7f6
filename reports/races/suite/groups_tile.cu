// Tiles of eight lanes that rotate values through shared memory.
// Race: a lane may read the slot of its neighbour before the neighbour has written it.
// Fix: tile.sync() between the stores and the loads.
#include "common.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void rotate(const int *in, int *out) {
    __shared__ int slots[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x, first = t / 8 * 8;
    slots[t] = in[t]; // race
#ifndef RACY
    tile.sync();
#endif
    out[t] = slots[first + (tile.thread_rank() + 1) % 8]; // race
}

int main() {
    std::vector<int> in = numbers(64), expected(64);
    for (int i = 0; i < 64; i++) expected[i] = in[i / 8 * 8 + (i + 1) % 8];
    int *out = on_device(std::vector<int>(64));
    rotate<<<1, 64>>>(on_device(in), out);
    return answer(on_host(out, 64) == expected);
}
