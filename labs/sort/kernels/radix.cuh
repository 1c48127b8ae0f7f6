// Ranks by digits: where a key of a tile goes among those with the same digit.
#pragma once
#include "place.cuh"

// The shape of a block and its tile: `items` keys a thread. A warp's keys are adjacent in memory, 32 at a time, lane by
// lane: an earlier key is one with a smaller item, or with the same item in a lower lane.
template <int T, int I>
struct Shape {
    static constexpr int threads = T, items = I, warps = T / 32, tile = T * I;
};

// The index in the tile of this thread's item i.
template <class S>
__device__ unsigned at(int i) { return warp_id() * 32 * S::items + i * 32 + lane_id(); }

template <int bits, class K>
__device__ unsigned digit_of(K key, unsigned shift) {
    if (bits < 8) return (unsigned)(key >> shift) & ((1u << bits) - 1);
    // A digit that is a byte: one instruction picks it, and up to three zeros.
    if (sizeof(K) == 4) return __byte_perm((unsigned)key, 0, 0x4440 + shift / 8);
    return __byte_perm((unsigned)key, (unsigned)((word)key >> 32), shift / 8) & 255;
}

// Keys past the end of the input have the largest digit in every place, and come after all others of the tile.
template <class S, class K>
__device__ void load(const K* in, unsigned size, K (&key)[S::items]) {
    if (size == S::tile) {
#pragma unroll
        for (int i = 0; i < S::items; i++) key[i] = in[at<S>(i)];
    } else {
#pragma unroll
        for (int i = 0; i < S::items; i++) key[i] = at<S>(i) < size ? in[at<S>(i)] : ~K(0);
    }
}

template <class S, class K>
__device__ void store(const K (&key)[S::items], unsigned size, K* out) {
#pragma unroll
    for (int i = 0; i < S::items; i++)
        if (at<S>(i) < size) out[at<S>(i)] = key[i];
}

// Stores item i, which is number threadIdx.x + i * threads in the order of the tile, at `to[i]`.
template <class S, class K>
__device__ void store_to(const K (&key)[S::items], const unsigned (&to)[S::items], unsigned size, K* out) {
    if (size == S::tile) {
#pragma unroll
        for (int i = 0; i < S::items; i++) out[to[i]] = key[i];
    } else {
#pragma unroll
        for (int i = 0; i < S::items; i++)
            if (threadIdx.x + i * S::threads < size) out[to[i]] = key[i];
    }
}

// How lanes with the same digit are found: by a ballot for each bit, or by one instruction, which is slower.
enum Match { by_ballots, by_match };

// The lanes that have this bit of the digit as this lane has it: ballot(digit & bit), inverted if this lane's is 0. In C++
// the test is compiled twice.
__device__ inline unsigned agree(unsigned digit, unsigned bit) {
    unsigned votes;
    asm("{\n\t"
        ".reg .pred p;\n\t"
        "and.b32 %0, %1, %2;\n\t"
        "setp.ne.u32 p, %0, 0;\n\t"
        "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t"
        "@!p not.b32 %0, %0;\n\t"
        "}"
        : "=r"(votes)
        : "r"(digit), "r"(bit));
    return votes;
}

// The lanes of this warp that have the same digit, this one among them.

template <int bits, Match how>
__device__ unsigned same_digit(unsigned digit) {
    if (how == by_match) return __match_any_sync(all_lanes, digit);
    unsigned same = all_lanes;
#pragma unroll
    for (int bit = 0; bit < bits; bit++) same &= agree(digit, 1u << bit);
    return same;
}

// The rank of this lane's key: next[digit], plus the lower lanes with the same digit. next[digit] of this warp goes
// on behind them all, so that the warp's next 32 keys come after these.
template <int bits, Match how>
__device__ unsigned rank_of(unsigned digit, unsigned* next) {
    unsigned same = same_digit<bits, how>(digit);
    unsigned lower = __popc(same & lanes_below());
    unsigned last = 31 - __clz(same);
    // if (lane_id() == last) first = atomicAdd(&next[digit], lower + 1), without a branch at which the warp splits
    unsigned first = 0;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "setp.eq.u32 p, %1, %2;\n\t"
                 "@p atom.shared.add.u32 %0, [%3], %4;\n\t"
                 "}"
                 : "+r"(first)
                 : "r"(lane_id()), "r"(last), "r"((unsigned)__cvta_generic_to_shared(&next[digit])), "r"(lower + 1)
                 : "memory");
    return __shfl_sync(all_lanes, first, last) + lower;
}

// Decoupled look-back for one digit: how many keys of earlier tiles go before this tile's of that digit. `states` is
// the digit's word of tile 0; `digits` words further on is that of tile 1. Several predecessors are read in one trip to
// the L2 cache.
template <int digits>
__device__ unsigned look_back(const unsigned* states, unsigned tile) {
    constexpr int window = 8;
    unsigned sum = 0;
    for (int nearest = (int)tile - 1;; nearest -= window) {
        unsigned state[window];
#pragma unroll
        for (int k = 0; k < window; k++) {
            int i = nearest - k;
            state[k] = i >= 0 ? look(&states[(size_t)i * digits]) : prefix;
        }
#pragma unroll
        for (int k = 0; k < window; k++) {
            while ((state[k] & flags) == 0) state[k] = look(&states[(size_t)(nearest - k) * digits]);
            sum += state[k] & ~flags;
            if (state[k] & prefix) return sum;
        }
    }
}
