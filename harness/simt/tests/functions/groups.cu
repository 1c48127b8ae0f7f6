// Cooperative groups: tiles of a warp, coalesced threads, and the whole grid.
//
// A line is a kernel: its name, the types of its result and of x, y and z, and what it does with them. The test reads these lines.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#define COUNT 1024
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENT(type, number) (*(const type*)(from + number * COUNT + THREAD))
#define KERNEL(name) extern "C" __global__ void name(const u64* from, u64* to)
#define ONE(name, R, A, what) \
    KERNEL(name) { A x = ARGUMENT(A, 0); *(R*)(to + THREAD) = what; }
#define TWO(name, R, A, B, what) \
    KERNEL(name) { A x = ARGUMENT(A, 0); B y = ARGUMENT(B, 1); *(R*)(to + THREAD) = what; }
#define THREE(name, R, A, B, C, what) \
    KERNEL(name) { A x = ARGUMENT(A, 0); B y = ARGUMENT(B, 1); C z = ARGUMENT(C, 2); *(R*)(to + THREAD) = what; }

namespace cg = cooperative_groups;

template <int N> __device__ cg::thread_block_tile<N> tile() { return cg::tiled_partition<N>(cg::this_thread_block()); }
enum What { SIZE, RANK, SUM, FIRST, NEXT, BALLOT, SCAN, MATCH };
template <What what> __device__ i32 of_group(cg::coalesced_group g, i32 x) {
    if (what == SIZE) return g.size();
    if (what == RANK) return g.thread_rank();
    if (what == SUM) return cg::reduce(g, x, cg::plus<i32>());
    if (what == FIRST) return g.shfl(x, 0);
    if (what == NEXT) return g.shfl_down(x, 1);
    if (what == BALLOT) return g.ballot(x & 2);
    if (what == SCAN) return cg::exclusive_scan(g, x);
    return g.match_any(x & 6);
}
// The lanes of odd x, and those of even x.
template <What what> __device__ i32 coalesced(i32 x) {
    if (x & 1) return of_group<what>(cg::coalesced_threads(), x);
    return of_group<what>(cg::coalesced_threads(), -x);
}
__device__ i32 block_ranks() { auto b = cg::this_thread_block(); return b.thread_rank() * 7 + b.size() + b.group_index().x; }
__device__ i32 grid_ranks() { auto g = cg::this_grid(); return g.thread_rank() * 3 + g.size() + g.num_blocks() + g.block_rank(); }
// What the thread of another block has left before the barrier of the grid, five times.
__device__ u32 across(u32 x, u32* left) {
    auto grid = cg::this_grid();
    u32 n = grid.size(), me = grid.thread_rank();
    for (int round = 0; round < 5; round++) {
        left[me] = x;
        grid.sync();
        x = x * 3 + left[(me + 300 + 7 * round) % n];
        grid.sync();
    }
    return x;
}

ONE(of_reduce_plus_4, i32, i32, cg::reduce(tile<4>(), x, cg::plus<i32>()))
ONE(of_reduce_less_4, i32, i32, cg::reduce(tile<4>(), x, cg::less<i32>()))
ONE(of_reduce_greater_4, i32, i32, cg::reduce(tile<4>(), x, cg::greater<i32>()))
ONE(of_reduce_plus_32, i32, i32, cg::reduce(tile<32>(), x, cg::plus<i32>()))
ONE(of_reduce_less_32, i32, i32, cg::reduce(tile<32>(), x, cg::less<i32>()))
ONE(of_reduce_greater_32, i32, i32, cg::reduce(tile<32>(), x, cg::greater<i32>()))
ONE(of_reduce_bit_and_32, u32, u32, cg::reduce(tile<32>(), x, cg::bit_and<u32>()))
ONE(of_reduce_bit_or_32, u32, u32, cg::reduce(tile<32>(), x, cg::bit_or<u32>()))
ONE(of_reduce_bit_xor_32, u32, u32, cg::reduce(tile<32>(), x, cg::bit_xor<u32>()))
ONE(of_reduce_f32_8, f32, f32, cg::reduce(tile<8>(), x, cg::plus<f32>()))
ONE(of_reduce_u64_8, u64, u64, cg::reduce(tile<8>(), x, cg::plus<u64>()))
ONE(of_inclusive_scan_8, i32, i32, cg::inclusive_scan(tile<8>(), x))
ONE(of_exclusive_scan_8, i32, i32, cg::exclusive_scan(tile<8>(), x))
ONE(of_scan_max_8, i32, i32, cg::inclusive_scan(tile<8>(), x, cg::greater<i32>()))
TWO(of_shfl_8, i32, i32, u32, tile<8>().shfl(x, y % 8))
ONE(of_shfl_up_8, i32, i32, tile<8>().shfl_up(x, 3))
ONE(of_shfl_down_8, i64, i64, tile<8>().shfl_down(x, 2))
ONE(of_shfl_xor_8, f64, f64, tile<8>().shfl_xor(x, 5))
ONE(of_ballot_8, u32, i32, tile<8>().ballot(x & 4))
ONE(of_any_8, i32, i32, tile<8>().any((x & 7) == 3))
ONE(of_all_8, i32, i32, tile<8>().all(x != 1))
ONE(of_match_any_8, u32, u32, tile<8>().match_any(x & 3))
ONE(of_meta_8, u32, u32, tile<8>().meta_group_rank() * 100 + tile<8>().meta_group_size() + tile<8>().thread_rank() * x)
ONE(of_reduce_f32_32, f32, f32, cg::reduce(tile<32>(), x, cg::plus<f32>()))
ONE(of_reduce_u64_32, u64, u64, cg::reduce(tile<32>(), x, cg::plus<u64>()))
ONE(of_inclusive_scan_32, i32, i32, cg::inclusive_scan(tile<32>(), x))
ONE(of_exclusive_scan_32, i32, i32, cg::exclusive_scan(tile<32>(), x))
ONE(of_scan_max_32, i32, i32, cg::inclusive_scan(tile<32>(), x, cg::greater<i32>()))
TWO(of_shfl_32, i32, i32, u32, tile<32>().shfl(x, y % 32))
ONE(of_shfl_up_32, i32, i32, tile<32>().shfl_up(x, 3))
ONE(of_shfl_down_32, i64, i64, tile<32>().shfl_down(x, 2))
ONE(of_shfl_xor_32, f64, f64, tile<32>().shfl_xor(x, 5))
ONE(of_ballot_32, u32, i32, tile<32>().ballot(x & 4))
ONE(of_any_32, i32, i32, tile<32>().any((x & 7) == 3))
ONE(of_all_32, i32, i32, tile<32>().all(x != 1))
ONE(of_match_any_32, u32, u32, tile<32>().match_any(x & 3))
ONE(of_labeled_32, i32, i32, cg::reduce(cg::labeled_partition(tile<32>(), x & 3), x, cg::plus<i32>()))
ONE(of_binary_32, i32, i32, cg::reduce(cg::binary_partition(tile<32>(), (x & 1) != 0), x, cg::plus<i32>()))
ONE(of_meta_32, u32, u32, tile<32>().meta_group_rank() * 100 + tile<32>().meta_group_size() + tile<32>().thread_rank() * x)
ONE(of_coalesced_size, i32, i32, coalesced<SIZE>(x))
ONE(of_coalesced_rank, i32, i32, coalesced<RANK>(x))
ONE(of_coalesced_sum, i32, i32, coalesced<SUM>(x))
ONE(of_coalesced_first, i32, i32, coalesced<FIRST>(x))
ONE(of_coalesced_next, i32, i32, coalesced<NEXT>(x))
ONE(of_coalesced_ballot, i32, i32, coalesced<BALLOT>(x))
ONE(of_coalesced_scan, i32, i32, coalesced<SCAN>(x))
ONE(of_coalesced_match, i32, i32, coalesced<MATCH>(x))
ONE(of_block_ranks, i32, i32, x + block_ranks())
ONE(of_grid_ranks, i32, i32, x + grid_ranks())
ONE(of_grid_sync, u32, u32, across(x, (u32*)(to + COUNT)))
