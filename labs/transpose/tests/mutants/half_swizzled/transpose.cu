// Broken on purpose. The tile is swizzled when it is written, but not when it is read.
extern "C" __global__ void swizzled(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ float tile[32][32];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[i][lane ^ i] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = tile[lane][i];
}
