// Mutant of picture: one column too many is written.

#include "divergence.cuh"

template <class If>
__device__ void picture(If taken, const float *in, float *out, int width, int height) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (taken(0, col <= width && row < height))
        out[row * width + col] = 2.0f * in[row * width + col];
}

extern "C" __global__ void picture_plain(const float *in, float *out, int width, int height) {
    picture(Plain(), in, out, width, height);
}
extern "C" __global__ void picture_counted(Counted count, const float *in, float *out, int width, int height) {
    picture(count, in, out, width, height);
}
