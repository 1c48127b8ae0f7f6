// Mutant of even_odd: the parity is counted under the number of another branch.

#include "divergence.cuh"

template <class If>
__device__ void even_odd(If taken, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (taken(0, i < n)) {
        if (taken(0, i % 2 == 0)) {
            out[i] = in[i / 2];
        } else {
            if (taken(2, in[i] < 16.0f))
                out[i] = in[n - 1];
            else
                out[i] = in[i];
        }
    }
}

extern "C" __global__ void even_odd_plain(const float *in, float *out, int n) { even_odd(Plain(), in, out, n); }
extern "C" __global__ void even_odd_counted(Counted count, const float *in, float *out, int n) {
    even_odd(count, in, out, n);
}
