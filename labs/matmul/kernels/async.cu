// C = A B in float, with copies that bypass the registers (cp.async): compute capability 8.0 and later.
//
//  async_copy  like double_buffered, but the next tile goes straight from global to shared memory while this
//         one is multiplied: it does not pass through registers, and the warp does not wait for it. A is
//         copied float by float, because it is transposed on the way; B is copied 16 bytes at a time
//         where n is a multiple of 4. 256 threads.
//
// Grid: x counts tiles of 128 along n, y along m.
// target: compute_80

// Copies 4 bytes if `inside`; otherwise writes 4 zero bytes and does not read the source.
__device__ void copy4(float* to, const float* from, bool inside) {
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(s), "l"(from), "r"(inside ? 4 : 0) : "memory");
}
__device__ void copy16(float* to, const float* from, bool inside) {
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(s), "l"(from), "r"(inside ? 16 : 0) : "memory");
}

// Where the block's tile and the thread's part of it lie. See warp_tile in ladder.cu.
struct Place {
    unsigned x, y;
};
__device__ Place place() {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return {warp % 4 * 32 + lane % 4 * 4, warp / 4 * 64 + lane / 4 * 4};
}

// Starts the copy of the tile of depth 16 that begins at q. Lanes run along k, for coalesced reads of A.
__device__ void start(float a[16][132], float b[16][128], const float* A, const float* B, unsigned m, unsigned k,
                      unsigned n, unsigned row, unsigned col, unsigned q) {
    unsigned t = threadIdx.x, ac = t % 16, bc = t % 32 * 4;
    bool k_inside = ac < k - q;
#pragma unroll
    for (unsigned s = 0; s < 8; s++) {
        unsigned r = s * 16 + t / 16;
        bool inside = k_inside && r < m - row;
        copy4(&a[ac][r], inside ? &A[(size_t)(row + r) * k + q + ac] : A, inside);
    }
#pragma unroll
    for (unsigned s = 0; s < 2; s++) {
        unsigned r = s * 8 + t / 32;
        const float* from = &B[(size_t)(q + r) * n + col + bc];
        bool inside = r < k - q;
        if (n % 4 == 0) {
            inside = inside && bc < n - col;
            copy16(&b[r][bc], inside ? from : B, inside);
        } else {
#pragma unroll
            for (unsigned c = 0; c < 4; c++) {
                bool here = inside && bc + c < n - col;
                copy4(&b[r][bc + c], here ? from + c : B, here);
            }
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

__device__ void store4(float* C, unsigned m, unsigned n, unsigned row, unsigned col, float4 v) {
    if (row >= m || col >= n) return;
    float* p = &C[(size_t)row * n + col];
    if (n % 4 == 0) {
        *(float4*)p = v;
    } else {
        p[0] = v.x;
        if (col + 1 < n) p[1] = v.y;
        if (col + 2 < n) p[2] = v.z;
        if (col + 3 < n) p[3] = v.w;
    }
}

extern "C" __global__ __launch_bounds__(256, 2) void async_copy(const float* A, const float* B, float* C, unsigned m,
                                                                unsigned k, unsigned n) {
    __shared__ __align__(16) float a[2][16][132], b[2][16][128];
    unsigned row = blockIdx.y * 128, col = blockIdx.x * 128, tiles = (k + 15ull) / 16;
    Place p = place();
    float sum[8][8] = {};
    start(a[0], b[0], A, B, m, k, n, row, col, 0);
    for (unsigned tile = 0; tile < tiles; tile++) {
        // This thread's copies have arrived. After the barrier all copies have, and the other tile is free.
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        if (tile + 1 < tiles)
            start(a[(tile + 1) % 2], b[(tile + 1) % 2], A, B, m, k, n, row, col, (tile + 1) * 16);
        const float(*ta)[132] = a[tile % 2];
        const float(*tb)[128] = b[tile % 2];
#pragma unroll
        for (unsigned i = 0; i < 16; i++) {
            float4 u0 = *(const float4*)&ta[i][p.y], u1 = *(const float4*)&ta[i][p.y + 32];
            float4 v0 = *(const float4*)&tb[i][p.x], v1 = *(const float4*)&tb[i][p.x + 16];
            float u[8] = {u0.x, u0.y, u0.z, u0.w, u1.x, u1.y, u1.z, u1.w};
            float v[8] = {v0.x, v0.y, v0.z, v0.w, v1.x, v1.y, v1.z, v1.w};
#pragma unroll
            for (unsigned r = 0; r < 8; r++)
#pragma unroll
                for (unsigned c = 0; c < 8; c++) sum[r][c] += u[r] * v[c];
        }
    }
#pragma unroll
    for (unsigned r = 0; r < 8; r++)
#pragma unroll
        for (unsigned h = 0; h < 2; h++)
            store4(C, m, n, row + p.y + r / 4 * 32 + r % 4, col + p.x + 16 * h,
                   make_float4(sum[r][4 * h], sum[r][4 * h + 1], sum[r][4 * h + 2], sum[r][4 * h + 3]));
}
