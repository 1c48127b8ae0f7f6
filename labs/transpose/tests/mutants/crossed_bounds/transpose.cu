// Broken on purpose. The bounds of the second half are those of the first: right where all tiles are whole.
extern "C" __global__ void padded(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ float tile[32][33];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[i][lane] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) out[(size_t)(left + i) * m + top + lane] = tile[lane][i];
}
