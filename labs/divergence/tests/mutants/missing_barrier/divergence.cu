// Mutant of average: threads read the tile before it is filled.

#include "divergence.cuh"

template <class If>
__device__ void average(If taken, const float *in, float *out, int n) {
    __shared__ float tile[256 + 4];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t + 2] = in[i];
    if (taken(0, t < 2))
        tile[t] = in[max(i - 2, 0)];
    if (taken(1, t >= 254))
        tile[t + 4] = in[min(i + 2, n - 1)];
    out[i] = (tile[t] + tile[t + 1] + tile[t + 2] + tile[t + 3] + tile[t + 4]) / 5.0f;
}

extern "C" __global__ void average_plain(const float *in, float *out, int n) { average(Plain(), in, out, n); }
extern "C" __global__ void average_counted(Counted count, const float *in, float *out, int n) {
    average(count, in, out, n);
}
