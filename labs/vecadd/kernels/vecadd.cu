// Vector addition, z = x + y. There is one kernel for all modes, because the lab is about where the vectors lie.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//   vecadd         one element per thread; the grid must have at least n threads
//   vecadd_stride  like vecadd, but each thread strides over the grid, so that any grid works for any n
//   vecadd_wide    like vecadd, but four elements per thread, 16 bytes of each vector at a time: a quarter of the loads
//                  and stores for the same bytes. The vectors are aligned to 16 bytes; blocks of 1024 threads

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

// [not handed out]
extern "C" __global__ void __launch_bounds__(1024)
    vecadd_wide(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ z, unsigned long long n)
{
    unsigned long long i = 4 * grid_index();
    if (i + 4 <= n) {
        float4 a = *(const float4 *)(x + i), b = *(const float4 *)(y + i);
        *(float4 *)(z + i) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    } else {
        // The last thread may have fewer left.
#pragma unroll 1
        for (; i < n; i++)
            z[i] = x[i] + y[i];
    }
}
// [end]
