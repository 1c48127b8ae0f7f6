// Cooperative groups: blocks, tiles, coalesced groups, groups by label, and what they compute together.
// nvcc: -std=c++17 -arch=sm_80
#include "common.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void tiles(int *wrong) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    int rank = block.thread_rank();
    bool right = block.size() == 96 && warp.size() == 32 && warp.meta_group_size() == 3;
    right &= warp.meta_group_rank() == rank / 32 && eight.thread_rank() == rank % 8;
    right &= eight.meta_group_rank() == rank % 32 / 8;
    right &= cg::reduce(warp, rank, cg::plus<int>()) == 32 * (rank / 32) * 32 + 496;
    right &= cg::reduce(eight, rank, cg::greater<int>()) == rank / 8 * 8 + 7;
    right &= cg::inclusive_scan(eight, 1) == rank % 8 + 1;
    right &= cg::exclusive_scan(warp, 2, cg::plus<int>()) == 2 * (rank % 32);
    right &= warp.shfl(rank, 4) == rank / 32 * 32 + 4 && eight.any(rank % 8 == 3) && !eight.all(rank % 8 == 3);
    right &= eight.ballot(rank % 2) == 0xaa;
    if (rank % 5 == 0) {
        cg::coalesced_group some = cg::coalesced_threads();
        right &= some.size() == (rank / 32 == 1 ? 6 : 7);
        right &= cg::reduce(some, 1, cg::plus<int>()) == some.size();
    }
    warp.sync();
    auto thirds = cg::labeled_partition(warp, rank % 3);
    right &= thirds.size() == 10 || thirds.size() == 11;
    auto halves = cg::binary_partition(warp, rank % 32 < 12);
    right &= halves.size() == (rank % 32 < 12 ? 12 : 20);
    block.sync();
    if (!right) atomicAdd(wrong, 1);
}

__global__ void copies(const int *in, int *out) {
    __shared__ int words[256];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, words, in, sizeof words);
    cg::wait(block);
    out[block.thread_rank()] = words[255 - block.thread_rank()];
    cg::invoke_one(block, [&] { atomicAdd(out + 256, 1); });
}

int main() {
    int *p, host[257];
    OK(cudaMalloc(&p, 2 * sizeof host));
    OK(cudaMemset(p, 0, 2 * sizeof host));
    tiles<<<1, 96>>>(p);
    OK(cudaMemcpy(host, p, sizeof *host, cudaMemcpyDeviceToHost));
    IS(host[0] == 0);
    for (int i = 0; i < 256; i++) host[i] = i;
    OK(cudaMemcpy(p, host, 256 * sizeof(int), cudaMemcpyHostToDevice));
    copies<<<1, 256>>>(p, p + 256);
    OK(cudaMemcpy(host, p + 256, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) IS(host[i] == 255 - i);
    IS(host[256] == 1);
    OK(cudaFree(p));
    puts("groups are right");
}
