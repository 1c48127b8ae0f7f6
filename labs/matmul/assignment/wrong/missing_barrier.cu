// Broken on purpose. The threads do not wait for the tiles before they multiply them.
extern "C" __global__ void tiled16(const float* A, const float* B, float* C, unsigned m, unsigned k, unsigned n) {
    __shared__ float a[16][16], b[16][16];
    unsigned x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (unsigned t = 0; t < (k + 15) / 16; t++) {
        unsigned q = t * 16;
        a[y][x] = row < m && q + x < k ? A[(size_t)row * k + q + x] : 0.0f;
        b[y][x] = col < n && q + y < k ? B[(size_t)(q + y) * n + col] : 0.0f;
        for (unsigned i = 0; i < 16; i++) sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    if (row < m && col < n) C[(size_t)row * n + col] = sum;
}
