// Counting where warps split. A kernel's body is a template over how it tests its conditions:
//
//     if (taken(0, i < n)) ...                  // branch 0 of this kernel
//
// With Plain the compiler sees the bare condition. With Counted the live lanes first vote on it, and the warp records
// whether they agreed. So one source gives both the plain kernel and the kernel that counts.
#pragma once

// Only tests the condition.
struct Plain {
    __device__ bool operator()(int, bool condition) const { return condition; }
};

// Counts, for each branch and warp, in cell [branch * warps + warp]: how often the warp came to the branch, and how
// often its live lanes disagreed there.
struct Counted {
    unsigned *reached, *split;
    unsigned warps; // of the whole grid

    __device__ bool operator()(int branch, bool condition) const {
        unsigned threads = blockDim.x * blockDim.y * blockDim.z;
        unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        unsigned warp = block * ((threads + 31) / 32) + thread / 32;

        unsigned live = __activemask();
        unsigned yes = __ballot_sync(live, condition);
        if (thread % 32 == __ffs(live) - 1) { // the first live lane writes for the warp
            reached[branch * warps + warp] += 1;
            split[branch * warps + warp] += yes != 0 && yes != live;
        }
        __syncwarp(live);
        return condition;
    }
};
