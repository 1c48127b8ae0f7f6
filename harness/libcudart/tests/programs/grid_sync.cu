// A cooperative launch: all blocks meet, many times, and as many are launched as fit at once. More are refused.
#include "common.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// In each round every element takes the mean of its neighbours on a ring, of all of which the round before is complete.
__global__ void smooth(float *a, float *b, int n, int rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < rounds; round++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) b[i] = 0.5f * (a[(i + n - 1) % n] + a[(i + 1) % n]);
        grid.sync();
        float *swapped = a;
        a = b;
        b = swapped;
    }
}

__global__ void ranks(unsigned *all) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    unsigned long long rank = grid.thread_rank();
    if (grid.is_valid() && rank == grid.block_rank() * block.size() + block.thread_rank()) atomicAdd(all, 1u);
    grid.sync();
    if (rank == 0) all[1] = all[0] == grid.size() && grid.dim_blocks().x * grid.dim_blocks().y == grid.num_blocks();
}

int main() {
    int can;
    OK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    IS(can);
    const int n = 3000, rounds = 20, threads = 128;
    float *a, *b, host[n], expected[n], next[n];
    OK(cudaMalloc(&a, sizeof host));
    OK(cudaMalloc(&b, sizeof host));
    for (int i = 0; i < n; i++) expected[i] = i % 32 * 1024;
    OK(cudaMemcpy(a, expected, sizeof host, cudaMemcpyHostToDevice));
    int per_sm, sms;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, smooth, threads, 0));
    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    IS(per_sm >= 1 && sms >= 1);
    int length = n, count = rounds;
    void *arguments[] = {&a, &b, &length, &count};
    int blocks = per_sm * sms < 8 ? per_sm * sms : 8;
    OK(cudaLaunchCooperativeKernel(smooth, dim3(blocks), dim3(threads), arguments));
    OK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n; i++) next[i] = 0.5f * (expected[(i + n - 1) % n] + expected[(i + 1) % n]);
        for (int i = 0; i < n; i++) expected[i] = next[i];
    }
    for (int i = 0; i < n; i++) IS(host[i] == expected[i]);
    // One block more than fit is refused.
    IS(CODE(cudaLaunchCooperativeKernel(smooth, dim3(per_sm * sms + 1), dim3(threads), arguments)) ==
       cudaErrorCooperativeLaunchTooLarge);

    unsigned *all, found[2] = {};
    OK(cudaMalloc(&all, sizeof found));
    OK(cudaMemset(all, 0, sizeof found));
    void *one[] = {&all};
    OK(cudaLaunchCooperativeKernel(ranks, dim3(3, 2), dim3(16, 4), one));
    OK(cudaMemcpy(found, all, sizeof found, cudaMemcpyDeviceToHost));
    IS(found[0] == 6 * 64 && found[1] == 1);
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(all));
    puts("the grid meets");
}
