// The first warp of a block turns the whole tile in registers: in round d, lanes d apart exchange the half of their
// words in which the other one is right.
__device__ void turn_by_shuffles(const float* in, float* out, unsigned m, unsigned n, unsigned top, unsigned left) {
    unsigned lane = threadIdx.x;
    if (threadIdx.y > 0) return;
    float v[32];
#pragma unroll
    for (unsigned i = 0; i < 32; i++) v[i] = top + i < m && left + lane < n ? in[(size_t)(top + i) * n + left + lane] : 0;
#pragma unroll
    for (unsigned d = 16; d > 0; d /= 2) {
#pragma unroll
        for (unsigned i = 0; i < 32; i++) {
            if (i & d) continue;
            bool is_upper = lane & d;
            float other = __shfl_xor_sync(0xffffffffu, is_upper ? v[i] : v[i + d], d);
            if (is_upper) v[i] = other; else v[i + d] = other;
        }
    }
#pragma unroll
    for (unsigned i = 0; i < 32; i++)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = v[i];
}

// [part tiled]
    turn_by_shuffles(in, out, m, n, top, left);
// [end]

// [part padded]
    turn_by_shuffles(in, out, m, n, top, left);
// [end]

// [part swizzled]
    turn_by_shuffles(in, out, m, n, top, left);
// [end]
