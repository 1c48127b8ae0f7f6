// A histogram spread over the shared memory of a cluster, whose blocks read their bins too early.
// Race: a block reads its bins while other blocks of the cluster still add to them.
// Fix: cluster.sync() after the additions.
#include "common.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) histogram(const int *in, int *counts) {
    __shared__ int bins[16];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    cluster.sync();
    int bin = in[blockIdx.x * 128 + t] % 64;
    atomicAdd(cluster.map_shared_rank(&bins[bin % 16], bin / 16), 1); // race
#ifdef RACY
    __syncthreads();
#else
    cluster.sync();
#endif
    if (t < 16) counts[blockIdx.x * 16 + t] = bins[t]; // race
#ifdef RACY
    cluster.sync(); // No block ends while another one adds to its memory.
#endif
}

int main() {
    std::vector<int> in = numbers(4 * 128), expected(64);
    for (int value : in) expected[value % 64]++;
    int *counts = on_device(std::vector<int>(64));
    histogram<<<4, 128>>>(on_device(in), counts);
    return answer(on_host(counts, 64) == expected);
}
