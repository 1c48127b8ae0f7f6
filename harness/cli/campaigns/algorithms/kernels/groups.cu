// Cooperative groups: parts of warps, lanes that are together, and the whole grid.
#include "../common.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// One sum for each eight elements, and the prefix sums in them.
__global__ void eights(const int *in, int *prefix, int *sums, int n) {
    auto block = cg::this_thread_block();
    auto eight = cg::tiled_partition<8>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    int sum = cg::reduce(eight, value, cg::plus<int>());
    int before = cg::exclusive_scan(eight, value, cg::plus<int>());
    if (i < n) prefix[i] = before;
    if (eight.thread_rank() == 0 && i < n) sums[i / 8] = sum;
}

// The odd elements in any order: the lanes that have one take a place for all of them by one atomic.
__global__ void compact(const int *in, int *out, int *count, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int value = in[i];
        if (value % 2 == 0) continue;
        auto together = cg::coalesced_threads();
        int place = 0;
        if (together.thread_rank() == 0) place = atomicAdd(count, int(together.size()));
        out[together.shfl(place, 0) + together.thread_rank()] = value;
    }
}

// Steps of smoothing by the whole grid, between two arrays that change places.
__global__ void smooth(int *a, int *b, int n, int steps) {
    auto grid = cg::this_grid();
    for (int step = 0; step < steps; step++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            b[i] = (a[i > 0 ? i - 1 : 0] + 2 * a[i] + a[i + 1 < n ? i + 1 : n - 1]) / 4;
        grid.sync();
        int *last = a;
        a = b, b = last;
    }
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"eights", [](int n) {
            std::vector<int> values = numbers(n), prefix(n), sums((n + 7) / 8);
            for (int i = 0; i < n; i++) prefix[i] = sums[i / 8], sums[i / 8] += values[i];
            Array<int> in(values), before(n), out(sums.size());
            eights<<<(n + 191) / 192, 192>>>(in.get(), before.get(), out.get(), n);
            return before.is(prefix) && out.is(sums);
        }},
        {"compact", [](int n) {
            std::vector<int> values = numbers(n), expected;
            for (int value : values)
                if (value % 2) expected.push_back(value);
            Array<int> in(values), out(n), count(std::vector<int>{0});
            compact<<<8, 160>>>(in.get(), out.get(), count.get(), n);
            if (!count.is({int(expected.size())})) return false;
            std::vector<int> found = out.first(expected.size());
            std::sort(found.begin(), found.end());
            std::sort(expected.begin(), expected.end());
            return found == expected;
        }},
        {"smooth", [](int n) {
            std::vector<int> values = numbers(n), next(n);
            Array<int> a(values), b(n);
            int *pa = a.get(), *pb = b.get(), steps = 5;
            void *arguments[] = {&pa, &pb, &n, &steps};
            OK(cudaLaunchCooperativeKernel((void *)smooth, 6, 128, arguments, 0, nullptr));
            for (int step = 0; step < steps; step++) {
                for (int i = 0; i < n; i++)
                    next[i] = (values[std::max(0, i - 1)] + 2 * values[i] + values[std::min(n - 1, i + 1)]) / 4;
                values.swap(next);
            }
            return b.is(values);
        }},
    });
}
