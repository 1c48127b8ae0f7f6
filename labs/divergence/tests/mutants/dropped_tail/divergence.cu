// Mutant of vecadd: the last warp, which has work for only some of its lanes, does nothing.

#include "divergence.cuh"

template <class If>
__device__ void vecadd(If taken, const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (taken(0, i < n / 32 * 32))
        z[i] = x[i] + y[i];
}

extern "C" __global__ void vecadd_plain(const float *x, const float *y, float *z, int n) {
    vecadd(Plain(), x, y, z, n);
}
extern "C" __global__ void vecadd_counted(Counted count, const float *x, const float *y, float *z, int n) {
    vecadd(count, x, y, z, n);
}
