// Vector addition, z = x + y. There is one kernel for all modes, because the lab is about where the vectors lie.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//   vecadd         one element per thread; the grid must have at least n threads
//   vecadd_stride  like vecadd, but each thread strides over the grid, so that any grid works for any n

#include "index.cuh"

extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n)
{
    // [part add] Let each thread store one sum. The last block may have more threads than there are elements left.
    unsigned long long i = grid_index();
    if (i < n)
        z[i] = x[i] + y[i];
    // [end]
}

extern "C" __global__ void vecadd_stride(const float *x, const float *y, float *z, unsigned long long n)
{
    // [part stride] Let each thread go through the vectors in steps of the whole grid.
    for (unsigned long long i = grid_index(); i < n; i += grid_threads())
        z[i] = x[i] + y[i];
    // [end]
}
