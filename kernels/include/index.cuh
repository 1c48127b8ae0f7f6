// The place of a thread, for kernels that index in one dimension.
#pragma once

// This thread's index in the grid.
__device__ inline unsigned long long grid_index()
{
    return (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
}

// The number of threads in the grid: the step of a loop that strides over it.
__device__ inline unsigned long long grid_threads()
{
    return (unsigned long long)gridDim.x * blockDim.x;
}
