// Mutant of scan_tiles_u32, with right kernels before it: the last, partial tile is not written.

extern "C" __global__ void tile_sums_u32(const unsigned* x, unsigned* sums, size_t n) {
    size_t tile = (size_t)blockDim.x * 16, first = blockIdx.x * tile;
    if (threadIdx.x > 0) return;
    unsigned sum = 0;
    for (size_t i = first; i < first + tile && i < n; i++) sum += x[i];
    sums[blockIdx.x] = sum;
}

extern "C" __global__ void scan_sums_u32(unsigned* sums, size_t tiles) {
    if (threadIdx.x > 0) return;
    unsigned sum = 0;
    for (size_t i = 0; i < tiles; i++) {
        unsigned own = sums[i];
        sums[i] = sum;
        sum += own;
    }
}

extern "C" __global__ void scan_tiles_u32(const unsigned* x, const unsigned* sums, unsigned* out, size_t n, unsigned inclusive) {
    size_t tile = (size_t)blockDim.x * 16, first = blockIdx.x * tile;
    if (threadIdx.x > 0 || first + tile > n) return;
    unsigned sum = sums[blockIdx.x];
    for (size_t i = first; i < first + tile; i++) {
        unsigned with = sum + x[i];
        out[i] = inclusive ? with : sum;
        sum = with;
    }
}
