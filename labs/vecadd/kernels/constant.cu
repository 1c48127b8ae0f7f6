// Vector addition with a third summand in constant memory: one float for all threads, which the host sets by its name.

#include "index.cuh"

__constant__ float addend;

extern "C" __global__ void vecadd_constant(const float *x, const float *y, float *z, unsigned long long n)
{
    unsigned long long i = grid_index();
    if (i < n)
        z[i] = x[i] + y[i] + addend;
}
