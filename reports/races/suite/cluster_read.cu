// A read of the distributed shared memory of the next block, after a barrier of its own block.
// Race: nothing orders the neighbour's stores before the read.
// Fix: cluster.sync().
#include "common.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) shift(const int *in, int *out) {
    __shared__ int mine[64];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, next = (cluster.block_rank() + 1) % 4;
    cluster.sync(); // All blocks run.
    mine[t] = in[blockIdx.x * 64 + t]; // race
#ifdef RACY
    __syncthreads();
#else
    cluster.sync();
#endif
    out[blockIdx.x * 64 + t] = *cluster.map_shared_rank(&mine[t], next); // race
    cluster.sync(); // No block ends while another one reads its memory.
}

int main() {
    std::vector<int> in = numbers(4 * 64), expected(4 * 64);
    for (int i = 0; i < 4 * 64; i++) expected[i] = in[(i + 64) % (4 * 64)];
    int *out = on_device(std::vector<int>(4 * 64));
    shift<<<4, 64>>>(on_device(in), out);
    return answer(on_host(out, 4 * 64) == expected);
}
