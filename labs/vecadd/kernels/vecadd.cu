// Vector addition, z = x + y. There is one kernel for all modes, because the lab is about where the vectors lie.
//
//   vecadd         one element per thread; the grid must have at least n threads
//   vecadd_stride  like vecadd, but each thread strides over the grid, so that any grid works for any n

#include "index.cuh"

extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n)
{
    unsigned long long i = grid_index();
    if (i < n)
        z[i] = x[i] + y[i];
}

extern "C" __global__ void vecadd_stride(const float *x, const float *y, float *z, unsigned long long n)
{
    for (unsigned long long i = grid_index(); i < n; i += grid_threads())
        z[i] = x[i] + y[i];
}
