// Clusters: shared memory of several blocks, and bulk copies that end at a barrier.
// nvcc: -arch=sm_90
// device: h200
#include "../common.cuh"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// A histogram whose bins lie in the shared memory of four blocks.
__global__ void __cluster_dims__(4, 1, 1) histogram(const int *in, int n, int *counts) {
    __shared__ int bins[64];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) bins[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bin = in[i] % 256;
        atomicAdd(cluster.map_shared_rank(&bins[bin % 64], bin / 64), 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&counts[cluster.block_rank() * 64 + i], bins[i]);
}

// Each block's greatest element goes around the cluster's ring, until all blocks know the greatest of all.
__global__ void __cluster_dims__(2, 1, 1) ring(const int *in, int n, int *results) {
    __shared__ int best[2];
    __shared__ int own;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) own = -1;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicMax(&own, in[i]);
    __syncthreads();
    int rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    if (threadIdx.x == 0) {
        best[0] = own;
        *cluster.map_shared_rank(&best[1], next) = own;
    }
    cluster.sync();
    if (threadIdx.x == 0) results[blockIdx.x] = max(best[0], best[1]);
}

// Tiles in and out by bulk copies; one thread starts the copies, and all wait for the bytes.
__global__ void add_one(const int *in, int *out, int tiles) {
    const int size = 256;
    __shared__ alignas(128) int tile[size];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    int phase = 0;
    for (int i = blockIdx.x; i < tiles; i += gridDim.x) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + i * size, sizeof tile, &barrier);
        }
        while (!ptx::mbarrier_try_wait_parity(&barrier, phase)) {}
        phase ^= 1;
        tile[threadIdx.x]++;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + i * size, tile, sizeof tile);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"histogram", [](int n) {
            std::vector<int> values = numbers(n), expected(256);
            for (int value : values) expected[value % 256]++;
            Array<int> in(values), counts(std::vector<int>(256, 0));
            histogram<<<8, 128>>>(in.get(), n, counts.get());
            return counts.is(expected);
        }},
        {"ring", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Array<int> in(values), out(2);
            ring<<<2, 128>>>(in.get(), n, out.get());
            return out.is(std::vector<int>(2, *std::max_element(values.begin(), values.end())));
        }},
        {"add_one", [](int n) {
            int tiles = n / 256 + 1;
            std::vector<int> values = numbers(256 * tiles), expected = values;
            for (int &value : expected) value++;
            Array<int> in(values), out(values.size());
            add_one<<<3, 256>>>(in.get(), out.get(), tiles);
            return out.is(expected);
        }},
    });
}
