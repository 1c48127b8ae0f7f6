// Copies of a line of floats, which differ in what the 32 lanes of a warp touch at once.
//
//  copy          one float per thread: the lanes of a warp read 128 bytes that lie side by side.
//  copy_wide     like copy, but four floats at a time and four times over: 64 bytes per thread are in flight at once.
//  copy_stride   like copy, but reads every `stride`-th float.
//  copy_offset   like copy, but reads from `offset` on, so that the warps' stretches begin inside of a sector.
//  aos           scales one field of structures of four floats: the field's floats lie 16 bytes apart.
//  soa           like aos, but each field has an array of its own.
//  aos_whole     like aos, but all four fields, a structure at a time.

extern "C" __global__ void copy(const float* x, float* y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

// A block of 256 threads copies 4096 floats. The last ones, which fill no float4, are copied one at a time.
extern "C" __global__ void copy_wide(const float* __restrict__ x, float* __restrict__ y, size_t n) {
    const float4* x4 = (const float4*)x;
    float4* y4 = (float4*)y;
    size_t fours = n / 4, first = (size_t)blockIdx.x * 1024 + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (first + 256 * k < fours) v[k] = x4[first + 256 * k];
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (first + 256 * k < fours) y4[first + 256 * k] = v[k];
    size_t rest = 4 * fours + threadIdx.x;
    if (blockIdx.x == 0 && rest < n) y[rest] = x[rest];
}

extern "C" __global__ void copy_stride(const float* x, float* y, size_t n, size_t stride) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i * stride];
}

extern "C" __global__ void copy_offset(const float* x, float* y, size_t n, size_t offset) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i + offset];
}

// n structures; the field is number 1 of 0 to 3.
extern "C" __global__ void aos(const float* x, float* y, size_t n, float factor) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[4 * i + 1] = factor * x[4 * i + 1];
}

extern "C" __global__ void soa(const float* x, float* y, size_t n, float factor) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[n + i] = factor * x[n + i];
}

extern "C" __global__ void aos_whole(const float* x, float* y, size_t n, float factor) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = ((const float4*)x)[i];
    ((float4*)y)[i] = make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);
}
