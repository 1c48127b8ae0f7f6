// Splitting keys by a threshold, in their order, by a scan with decoupled look-back.
//
//   1  compact    keys below the threshold go to the front of `out`; the rest is dropped
//   2  partition  like 1, but the others go to the back of `out`, the first of them last
//
// Both take (x, out, states, ticket, n, below): x holds n keys and `out` n + 1 words, the last for the number of keys
// below the threshold. There is a block of 256 threads for each tile of 8192 keys, and a state for each tile. n < 2^30.
#include "place.cuh"

constexpr int threads = 256, items = 32, warps = threads / 32;

// Called by one warp of every tile but the first: the number of selected keys in all earlier tiles. Each lane reads the
// states of four predecessors, so that 128 are read in one trip to the L2 cache; lane 0 of group 0 has the nearest.
__device__ unsigned look_back(const unsigned* states, unsigned tile) {
    constexpr int groups = 4;
    unsigned sum = 0;
    for (int nearest = (int)(tile - lane_id()) - 1;; nearest -= groups * 32) {
        unsigned state[groups];
#pragma unroll
        for (int g = 0; g < groups; g++) state[g] = nearest >= g * 32 ? look(&states[nearest - g * 32]) : prefix;
#pragma unroll
        for (int g = 0; g < groups; g++) {
            unsigned known, wanted;
            for (;;) {
                known = __ballot_sync(all_lanes, (state[g] & flags) == prefix);
                // The own counts of the tiles that are nearer than the nearest known prefix are wanted.
                wanted = known ? (known & (0u - known)) * 2 - 1 : all_lanes;
                if ((__ballot_sync(all_lanes, (state[g] & flags) == 0) & wanted) == 0) break;
                if ((state[g] & flags) == 0) state[g] = look(&states[nearest - g * 32]);
            }
            unsigned value = wanted >> lane_id() & 1 ? state[g] & ~flags : 0;
            sum += __shfl_sync(all_lanes, warp_inclusive(value), 31);
            if (known) return sum;
        }
    }
}

template <bool both>
__device__ void split(const unsigned* x, unsigned* out, unsigned* states, unsigned* ticket, unsigned n, unsigned below) {
    __shared__ unsigned of_warp[warps];
    __shared__ unsigned earlier, drawn;
    // Tiles are numbered in the order in which blocks start: all predecessors of a tile have then started.
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned tile = drawn;
    unsigned first = tile * threads * items + warp_id() * 32 * items + lane_id();

    unsigned key[items], selected = 0; // bit k: key[k] is below the threshold
#pragma unroll
    for (int k = 0; k < items; k++) key[k] = first + 32 * k < n ? x[first + 32 * k] : 0;
    unsigned count = 0;
#pragma unroll
    for (int k = 0; k < items; k++) {
        bool is_below = first + 32 * k < n && key[k] < below;
        selected |= (unsigned)is_below << k;
        count += __popc(__ballot_sync(all_lanes, is_below));
    }
    if (lane_id() == 0) of_warp[warp_id()] = count;
    __syncthreads();
    if (warp_id() == 0) {
        unsigned mine = lane_id() < warps ? of_warp[lane_id()] : 0;
        unsigned sum = warp_inclusive(mine);
        unsigned total = __shfl_sync(all_lanes, sum, 31);
        if (lane_id() < warps) of_warp[lane_id()] = sum - mine;
        if (lane_id() == 0) publish(&states[tile], tile > 0 ? own : prefix, total);
        unsigned before = tile > 0 ? look_back(states, tile) : 0;
        if (lane_id() == 0) {
            if (tile > 0) publish(&states[tile], prefix, before + total);
            earlier = before;
            if (tile == gridDim.x - 1) out[n] = before + total;
        }
    }
    __syncthreads();
    unsigned to = earlier + of_warp[warp_id()]; // selected keys before this warp's next 32
#pragma unroll
    for (int k = 0; k < items; k++) {
        unsigned i = first + 32 * k;
        bool is_below = selected >> k & 1;
        unsigned votes = __ballot_sync(all_lanes, is_below);
        unsigned rank = to + __popc(votes & lanes_below());
        if (is_below) out[rank] = key[k];
        // Before key i there are i - rank keys that are not below the threshold.
        if (both && !is_below && i < n) out[n - 1 - (i - rank)] = key[k];
        to += __popc(votes);
    }
}

extern "C" __global__ void __launch_bounds__(256) compact(const unsigned* x, unsigned* out, unsigned* states,
                                                          unsigned* ticket, unsigned n, unsigned below) {
    split<false>(x, out, states, ticket, n, below);
}

extern "C" __global__ void __launch_bounds__(256) partition(const unsigned* x, unsigned* out, unsigned* states,
                                                            unsigned* ticket, unsigned n, unsigned below) {
    split<true>(x, out, states, ticket, n, below);
}
