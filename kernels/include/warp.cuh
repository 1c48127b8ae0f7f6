// Warps: 32 threads of a block that run together, numbered along x, then y, then z.
#pragma once

#define FULL_WARP 0xffffffffu // the mask of a warp with all its lanes

// This thread's index in its block, in the order that warps are formed.
__device__ inline unsigned block_index()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// This thread's lane, 0 to 31.
__device__ inline unsigned lane_index()
{
    return block_index() % warpSize;
}

// This thread's warp within its block.
__device__ inline unsigned warp_index()
{
    return block_index() / warpSize;
}
