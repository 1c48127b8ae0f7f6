// An asynchronous copy of a group, with the group's barrier in place of its wait.
// Race: sync() does not wait for memcpy_async(), so that threads may read the tile before it has arrived.
// Fix: wait(), which waits for the copy and synchronizes the group.
#include "common.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

__global__ void reverse(const int *in, int *out) {
    __shared__ alignas(16) int tile[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in, sizeof tile); // race
#ifdef RACY
    block.sync();
#else
    cg::wait(block);
#endif
    out[threadIdx.x] = tile[127 - threadIdx.x]; // race
}

int main() {
    std::vector<int> in = numbers(128), expected(in.rbegin(), in.rend());
    int *out = on_device(std::vector<int>(128));
    reverse<<<1, 128>>>(on_device(in), out);
    return answer(on_host(out, 128) == expected);
}
