// Mutant of odd: elements that fail the test of the data are not copied.

#include "divergence.cuh"

template <class If>
__device__ void odd(If taken, const float *in, float *out, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (taken(0, i < n)) {
        if (taken(1, in[i] < 16.0f))
            out[i] = in[n - 1];
    }
}

extern "C" __global__ void odd_plain(const float *in, float *out, int n) { odd(Plain(), in, out, n); }
extern "C" __global__ void odd_counted(Counted count, const float *in, float *out, int n) {
    odd(count, in, out, n);
}
