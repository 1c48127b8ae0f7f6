// Broken on purpose. A row of the tile has 31 words: its last column lies where the next row begins.
extern "C" __global__ void padded(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ float tile[32 * 32];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[31 * i + lane] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = tile[31 * lane + i];
}
