// Mutant of loop_parity: the even sums are NaN.

#include "divergence.cuh"

template <class If>
__device__ void loop_parity(If taken, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int end = i % 2 == 0 ? 4 : 8;
    float sum = i % 2 == 0 ? sqrtf(-1.0f - i) : 0.0f;
#pragma unroll 1
    for (int k = 0; taken(0, k < end); k++)
        sum += in[i + k];
    out[i] = sum;
}

extern "C" __global__ void loop_parity_plain(const float *in, float *out) { loop_parity(Plain(), in, out); }
extern "C" __global__ void loop_parity_counted(Counted count, const float *in, float *out) {
    loop_parity(count, in, out);
}
