// Broken on purpose. A tile begins at a sector of each row of out, up to 7 floats early, but a warp writes 128 floats of
// a row and no more: the last row of tiles does not take what is then left.
extern "C" __global__ void grouped_tall(const float* in, float* out, unsigned m, unsigned n, unsigned group) {
    __shared__ float tile[136][33];
    unsigned across = (n + 31) / 32, down = (m + 127) / 128, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned first = blockIdx.x / (group * across) * group, within = blockIdx.x % (group * across);
    unsigned height = down - first < group ? down - first : group;
    unsigned top = (first + within % height) * 128, left = within / height * 32;
    for (unsigned r = warp; r < 136; r += 16)
        if (top + r >= 8 && top + r - 8 < m && left + lane < n)
            tile[r][lane] = in[(size_t)(top + r - 8) * n + left + lane];
    __syncthreads();
    for (unsigned x = warp; x < 32 && left + x < n; x += 16) {
        unsigned begin = 8 - (left + x) * m % 8;
        for (unsigned r = begin + lane; r < begin + 128; r += 32)
            if (top + r >= 8 && top + r - 8 < m) out[(size_t)(left + x) * m + top + r - 8] = tile[r][x];
    }
}
