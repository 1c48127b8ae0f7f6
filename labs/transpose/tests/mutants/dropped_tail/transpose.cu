// Broken on purpose. Tiles that are not whole are left out.
extern "C" __global__ void padded(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ float tile[32][33];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    if (left + 32 > n || top + 32 > m) return;
    for (unsigned i = threadIdx.y; i < 32; i += 8) tile[i][lane] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8) out[(size_t)(left + i) * m + top + lane] = tile[lane][i];
}
