// Broken on purpose. Threads write the tile, and a barrier follows, but no fence orders what they wrote before the bulk
// copies.
// target: compute_90
extern "C" __global__ void bulk(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ __align__(16) float lines[64][68];
    unsigned down = (m + 63) / 64, top = blockIdx.x % down * 64, left = blockIdx.x / down * 64;
    for (unsigned i = threadIdx.x; i < 64 * 64; i += 512) {
        unsigned y = i / 64, x = i % 64;
        if (top + y < m && left + x < n) lines[x][y] = in[(size_t)(top + y) * n + left + x];
    }
    __syncthreads();
    if (threadIdx.x >= min(64u, n - left)) return;
    float* to = out + (size_t)(left + threadIdx.x) * m + top;
    unsigned from = (unsigned)__cvta_generic_to_shared(lines[threadIdx.x]);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
                 "r"(min(64u, m - top) * 4)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
}
