// C = A B on the tensor cores: compute capability 8.0 and later. Any m, k, n.
// One mma.sync multiplies a 16 x 8 piece of A by an 8 x 8 piece of B for a whole warp. Its inputs are
// TF32: the exponent of a float with 10 bits of mantissa. Products are exact, and sums are floats.
//
//  tf32    a block of 8 warps has a tile of 128 x 128, and a warp has 64 x 32 of it: 4 x 4 results of mma.
//          Up to four tiles of depth 16 are in shared memory or on their way to it (cp.async).
//          The relative error is about 2^-11 per input.
//  tf32x3  like tf32, but each float is split into two TF32 numbers, x = big + small, and three of the
//          four products are summed (small times small is below the last bit of a float). The tensor cores
//          cut their sums off instead of rounding them, always towards zero, so that a long sum drifts.
//          They therefore sum only a tile of depth 16; the tiles are added as floats (Ootomo and Yokota,
//          2022). Float accuracy, at a third of the speed.
//
// Grid: x counts tiles of 128 along n, y along m; 256 threads; STAGES * (128 * 20 + 16 * 136) floats of
// dynamic shared memory. The paddings 20 and 136 give each lane of a fragment its own bank.
// target: compute_80

#define STAGES 4

__device__ void copy4(float* to, const float* from, bool inside) {
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(s), "l"(from), "r"(inside ? 4 : 0) : "memory");
}
__device__ void copy16(float* to, const float* from, bool inside) {
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(s), "l"(from), "r"(inside ? 16 : 0) : "memory");
}

// Copies four adjacent floats of a row to shared memory; elements outside the matrix become 0. Rows and
// columns are counted from the corner of the tile; the matrix has `rows` and `cols` of them from there on.
__device__ void copy_row4(float* to, const float* corner, unsigned stride, unsigned rows, unsigned cols, unsigned r,
                          unsigned c) {
    const float* from = corner + (size_t)r * stride + c;
    bool inside = r < rows;
    if (stride % 4 == 0) {
        inside = inside && c < cols;
        copy16(to, inside ? from : corner, inside);
    } else {
#pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            bool here = inside && c + i < cols;
            copy4(to + i, here ? from + i : corner, here);
        }
    }
}

// One stage: a tile of A, 128 rows of 16 (and 4 of padding), and one of B, 16 rows of 128 (and 8).
struct Stage {
    float a[128][20], b[16][136];
};

__device__ void start(Stage& to, const float* A, const float* B, unsigned m, unsigned k, unsigned n, unsigned row,
                      unsigned col, unsigned q) {
    unsigned t = threadIdx.x;
    const float *a = A + (size_t)row * k + q, *b = B + (size_t)q * n + col;
#pragma unroll
    for (unsigned s = 0; s < 2; s++) {
        unsigned ar = s * 64 + t / 4, ac = t % 4 * 4, br = s * 8 + t / 32, bc = t % 32 * 4;
        copy_row4(&to.a[ar][ac], a, k, m - row, k - q, ar, ac);
        copy_row4(&to.b[br][bc], b, n, k - q, n - col, br, bc);
    }
}

// The nearest TF32; ties are rounded away from zero.
__device__ unsigned tf32_of(float x) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}

__device__ void mma(float c[4], const unsigned a[4], const unsigned b[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void mma_all(float to[4][4][4], const unsigned a[4][4], const unsigned b[4][2]) {
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++) mma(to[i][j], a[i], b[j]);
}

// Adds the products of a tile of depth 16 to `to`.
template <bool SPLIT>
__device__ void multiply(float to[4][4][4], const Stage& s) {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, l = lane % 4;
    unsigned y = warp / 4 * 64, x = warp % 4 * 32;
#pragma unroll
    for (unsigned q = 0; q < 16; q += 8) {
        unsigned a[4][4], b[4][2], as[4][4], bs[4][2];
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
#pragma unroll
            for (unsigned j = 0; j < 4; j++) {
                // Registers of A: row g, row g + 8, then the same two at k + 4.
                float v = s.a[y + i * 16 + j % 2 * 8 + g][q + j / 2 * 4 + l];
                a[i][j] = tf32_of(v);
                if (SPLIT) as[i][j] = tf32_of(v - __uint_as_float(a[i][j]));
            }
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
#pragma unroll
            for (unsigned j = 0; j < 2; j++) {
                float v = s.b[q + j * 4 + l][x + i * 8 + g];
                b[i][j] = tf32_of(v);
                if (SPLIT) bs[i][j] = tf32_of(v - __uint_as_float(b[i][j]));
            }
        // The small parts first, because they would be lost next to a large sum. All sums take turns, because the
        // next step of one has to wait for the step before.
        if (SPLIT) {
            mma_all(to, as, b);
            mma_all(to, a, bs);
        }
        mma_all(to, a, b);
    }
}

template <bool SPLIT>
__device__ void tensor_matmul(const float* A, const float* B, float* C, unsigned m, unsigned k, unsigned n) {
    extern __shared__ __align__(16) unsigned char memory[];
    Stage* stage = (Stage*)memory;
    unsigned row = blockIdx.y * 128, col = blockIdx.x * 128, tiles = (k + 15ull) / 16;
    float sum[4][4][4] = {};
    for (unsigned i = 0; i < STAGES - 1; i++) {
        if (i < tiles) start(stage[i], A, B, m, k, n, row, col, i * 16);
        asm volatile("cp.async.commit_group;" ::: "memory");  // empty groups keep the count right
    }
    for (unsigned tile = 0; tile < tiles; tile++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        unsigned next = tile + STAGES - 1;
        if (next < tiles) start(stage[next % STAGES], A, B, m, k, n, row, col, next * 16);
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (SPLIT) {
            float part[4][4][4] = {};
            multiply<SPLIT>(part, stage[tile % STAGES]);
#pragma unroll
            for (unsigned e = 0; e < 64; e++) sum[e / 16][e / 4 % 4][e % 4] += part[e / 16][e / 4 % 4][e % 4];
        } else {
            multiply<SPLIT>(sum, stage[tile % STAGES]);
        }
    }
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned y = row + warp / 4 * 64 + lane / 4, x = col + warp % 4 * 32 + lane % 4 * 2;
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
#pragma unroll
            for (unsigned e = 0; e < 4; e++) {
                unsigned r = y + i * 16 + e / 2 * 8, c = x + j * 8 + e % 2;
                if (r < m && c < n) C[(size_t)r * n + c] = sum[i][j][e];
            }
}

extern "C" __global__ __launch_bounds__(256, 2) void tf32(const float* A, const float* B, float* C, unsigned m,
                                                          unsigned k, unsigned n) {
    tensor_matmul<false>(A, B, C, m, k, n);
}

extern "C" __global__ __launch_bounds__(256, 1) void tf32x3(const float* A, const float* B, float* C, unsigned m,
                                                            unsigned k, unsigned n) {
    tensor_matmul<true>(A, B, C, m, k, n);
}
