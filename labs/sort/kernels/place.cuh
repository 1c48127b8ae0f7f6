// What all kernels of this lab share: a thread's place, sums over a warp, and words by which tiles pass on
// their sums. Blocks have whole warps.
#pragma once

typedef unsigned long long word;

constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline unsigned lane_id() { return threadIdx.x % 32; }
__device__ inline unsigned warp_id() { return threadIdx.x / 32; }
__device__ inline unsigned lanes_below() { return (1u << lane_id()) - 1; }

// The sum over this lane and those below it.
__device__ inline unsigned warp_inclusive(unsigned v) {
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(all_lanes, v, d);
        if (lane_id() >= d) v += left;
    }
    return v;
}

// A tile's state is one word with a flag and a value: it is stored and loaded as a whole, so a thread that sees the flag has
// the value, and no fence is needed. A word begins as 0, "nothing is known". Values stay below 2^30.
constexpr unsigned own = 1u << 30;    // the value is the tile's own count
constexpr unsigned prefix = 2u << 30; // the value counts everything up to the tile's end
constexpr unsigned flags = 3u << 30;

__device__ inline void publish(unsigned* state, unsigned flag, unsigned value) {
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(state), "r"(flag | value) : "memory");
}

__device__ inline unsigned look(const unsigned* state) {
    unsigned w;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(w) : "l"(state) : "memory");
    return w;
}
