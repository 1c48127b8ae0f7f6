// C = A B in float, with copies that bypass the registers (cp.async): compute capability 8.0 and later.
//
//  async_copy  like double_buffered, but the next tile goes straight from global to shared memory while this
//         one is multiplied: it does not pass through registers, and the warp does not wait for it. A is
//         copied float by float, because it is transposed on the way; B is copied 16 bytes at a time
//         where n is a multiple of 4. 256 threads.
//  async_wide  like async_copy, but 16 x 8 elements per thread, with 128 threads: 6 reads of shared memory for
//         128 multiply-adds, not 8. Three tiles of depth 8 are in flight; the operands of the next step are
//         read while this step is multiplied, also across tiles.
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

#define STAGES 3

// Starts the copy of the tile of depth 8 that begins at q; 128 threads. The caller commits the group, even if empty.
__device__ void start_wide(float a[8][132], float b[8][128], const float* A, const float* B, unsigned m, unsigned k,
                           unsigned n, unsigned row, unsigned col, unsigned q) {
    unsigned t = threadIdx.x, ac = t % 8, bc = t % 32 * 4;
    bool k_inside = ac < k - q;
    const float* from_a = &A[(size_t)(row + t / 8) * k + q + ac];
#pragma unroll
    for (unsigned s = 0; s < 8; s++) {
        unsigned r = s * 16 + t / 8;
        bool inside = k_inside && r < m - row;
        copy4(&a[ac][r], inside ? from_a + (size_t)(s * 16) * k : A, inside);
    }
#pragma unroll
    for (unsigned s = 0; s < 2; s++) {
        unsigned r = s * 4 + t / 32;
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
}

// What a thread multiplies in a step: 16 values of a column of A and 8 of a row of B.
struct Operands {
    float4 u[4], v[2];
};
__device__ Operands read(const float a[8][132], const float b[8][128], unsigned i, unsigned y, unsigned x) {
    Operands o;
#pragma unroll
    for (unsigned s = 0; s < 4; s++) o.u[s] = *(const float4*)&a[i][y + s * 16];
#pragma unroll
    for (unsigned s = 0; s < 2; s++) o.v[s] = *(const float4*)&b[i][x + s * 32];
    return o;
}

__device__ void multiply(float sum[16][8], const Operands& o) {
    float v[8] = {o.v[0].x, o.v[0].y, o.v[0].z, o.v[0].w, o.v[1].x, o.v[1].y, o.v[1].z, o.v[1].w};
#pragma unroll
    for (unsigned s = 0; s < 4; s++) {
        float u[4] = {o.u[s].x, o.u[s].y, o.u[s].z, o.u[s].w};
#pragma unroll
        for (unsigned r = 0; r < 4; r++)
#pragma unroll
            for (unsigned c = 0; c < 8; c++) sum[s * 4 + r][c] += u[r] * v[c];
    }
}

// The tile has 2 x 2 warps with 64 x 64 elements each, and a warp has 4 x 8 lanes. A thread's rows are four groups of 4
// rows, 16 apart; its columns are two groups of 4 columns, 32 apart.
extern "C" __global__ __launch_bounds__(128, 2) void async_wide(const float* A, const float* B, float* C, unsigned m,
                                                                unsigned k, unsigned n) {
    __shared__ __align__(16) float a[STAGES][8][132], b[STAGES][8][128];
    unsigned row = blockIdx.y * 128, col = blockIdx.x * 128, tiles = (k + 7ull) / 8;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned y = warp / 2 * 64 + lane / 8 * 4, x = warp % 2 * 64 + lane % 8 * 4;
    float sum[16][8] = {};
    for (unsigned i = 0; i < STAGES - 1; i++) {
        if (i < tiles) start_wide(a[i], b[i], A, B, m, k, n, row, col, i * 8);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    Operands now = read(a[0], b[0], 0, y, x);
    unsigned stage = 0, free = STAGES - 1;  // the tile being multiplied, and the one to be filled
    for (unsigned tile = 0; tile < tiles; tile++) {
        unsigned after = stage + 1 < STAGES ? stage + 1 : 0;
#pragma unroll
        for (unsigned i = 0; i < 8; i++) {
            if (i == 7) {
                // After this barrier all threads see the next tile, and all have read the last of this one.
                asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
                __syncthreads();
            }
            Operands next;
            if (i < 7)
                next = read(a[stage], b[stage], i + 1, y, x);
            else if (tile + 1 < tiles)
                next = read(a[after], b[after], 0, y, x);
            if (i == 0) {
                unsigned later = tile + STAGES - 1;
                if (later < tiles) start_wide(a[free], b[free], A, B, m, k, n, row, col, later * 8);
                asm volatile("cp.async.commit_group;" ::: "memory");
            }
            multiply(sum, now);
            now = next;
        }
        free = stage;
        stage = after;
    }
#pragma unroll
    for (unsigned r = 0; r < 16; r++)
#pragma unroll
        for (unsigned h = 0; h < 2; h++)
            store4(C, m, n, row + y + r / 4 * 16 + r % 4, col + x + 32 * h,
                   make_float4(sum[r][4 * h], sum[r][4 * h + 1], sum[r][4 * h + 2], sum[r][4 * h + 3]));
}
