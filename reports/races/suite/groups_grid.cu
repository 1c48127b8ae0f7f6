// Two phases of a cooperative kernel with a barrier of the block between them.
// Race: the second phase reads what other blocks write in the first.
// Fix: grid.sync().
#include "common.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void reverse(int *x, int *out) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    x[i] = i * 3; // race
#ifdef RACY
    cg::this_thread_block().sync();
#else
    grid.sync();
#endif
    out[i] = x[n - 1 - i]; // race
}

int main() {
    const int n = 8 * 64;
    std::vector<int> expected(n);
    for (int i = 0; i < n; i++) expected[i] = (n - 1 - i) * 3;
    int *x = on_device(std::vector<int>(n)), *out = on_device(std::vector<int>(n));
    void *arguments[] = {&x, &out};
    OK(cudaLaunchCooperativeKernel((const void *)reverse, dim3(8), dim3(64), arguments));
    return answer(on_host(out, n) == expected);
}
