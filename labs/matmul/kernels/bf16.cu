// C = A B for bfloat16 with sums in float, on the tensor cores: compute capability 8.0 and later. Any m, k, n.
//
//  bf16_mma  like tf32 (tensor.cu), but one mma.sync multiplies 16 x 16 of A by 16 x 8 of B: twice the depth at the
//       same speed, since an input has half the bits. A warp reads what it multiplies by ldmatrix: one instruction
//       gives all lanes their parts of four 8 x 8 matrices, and turns those of B, which lie across the depth.
//       Tiles of 128 x 128 x 32, 8 warps with 64 x 32 each, STAGES tiles in shared memory or on their way (cp.async).
//
// Grid: x counts tiles of 128 along n, y along m; 256 threads; STAGES * sizeof(Stage) bytes of dynamic shared memory. The
// paddings 40 and 136 let the 8 rows of 16 bytes that ldmatrix reads together lie in different banks.
// target: compute_80

#define STAGES 4

// One stage: a tile of A, 128 rows of 32 (and 8 of padding), and one of B, 32 rows of 128 (and 8).
struct Stage {
    unsigned short a[128][40], b[32][136];
};

// Copies eight adjacent elements of a row to shared memory; elements outside the matrix become 0. Rows and columns are
// counted from the corner of the tile; the matrix has `rows` and `cols` of them from there on. An asynchronous copy has
// 4 bytes or more: rows that do not begin at multiples of 16 bytes pass through registers, element by element.
__device__ void copy_row8(unsigned short* to, const unsigned short* corner, unsigned stride, unsigned rows,
                          unsigned cols, unsigned r, unsigned c) {
    const unsigned short* from = corner + (size_t)r * stride + c;
    if (stride % 8 == 0) {
        bool inside = r < rows && c < cols;
        unsigned s = (unsigned)__cvta_generic_to_shared(to);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(s), "l"(inside ? from : corner),
                     "r"(inside ? 16 : 0)
                     : "memory");
    } else {
        __align__(16) unsigned short part[8];
#pragma unroll
        for (unsigned i = 0; i < 8; i++) part[i] = r < rows && c + i < cols ? from[i] : 0;
        *(uint4*)to = *(const uint4*)part;
    }
}

__device__ void start(Stage& to, const unsigned short* A, const unsigned short* B, unsigned m, unsigned k, unsigned n,
                      unsigned row, unsigned col, unsigned q) {
    unsigned t = threadIdx.x;
    const unsigned short *a = A + (size_t)row * k + q, *b = B + (size_t)q * n + col;
#pragma unroll
    for (unsigned s = 0; s < 2; s++) {
        unsigned ar = s * 64 + t / 4, ac = t % 4 * 8, br = s * 16 + t / 16, bc = t % 16 * 8;
        copy_row8(&to.a[ar][ac], a, k, m - row, k - q, ar, ac);
        copy_row8(&to.b[br][bc], b, n, k - q, n - col, br, bc);
    }
}

// Four 8 x 8 matrices: lane i names row i % 8 of matrix i / 8, and gets two neighbouring elements of each.
__device__ void read4(unsigned to[4], const unsigned short* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}
// As read4, but each matrix is turned.
__device__ void read4_turned(unsigned to[4], const unsigned short* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

__device__ void mma(float c[4], const unsigned a[4], const unsigned b[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ __launch_bounds__(256, 2) void bf16_mma(const unsigned short* A, const unsigned short* B,
                                                              float* C, unsigned m, unsigned k, unsigned n) {
    extern __shared__ __align__(16) unsigned char memory[];
    Stage* stage = (Stage*)memory;
    unsigned row = blockIdx.y * 128, col = blockIdx.x * 128, tiles = (k + 31ull) / 32;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, y = warp / 4 * 64, x = warp % 4 * 32;
    float sum[4][4][4] = {};
    for (unsigned i = 0; i < STAGES - 1; i++) {
        if (i < tiles) start(stage[i], A, B, m, k, n, row, col, i * 32);
        asm volatile("cp.async.commit_group;" ::: "memory");  // empty groups keep the count right
    }
    for (unsigned tile = 0; tile < tiles; tile++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        unsigned next = tile + STAGES - 1;
        if (next < tiles) start(stage[next % STAGES], A, B, m, k, n, row, col, next * 32);
        asm volatile("cp.async.commit_group;" ::: "memory");
        const Stage& s = stage[tile % STAGES];
#pragma unroll
        for (unsigned q = 0; q < 32; q += 16) {
            // 16 x 16 of A: rows 0 to 7 and 8 to 15 of the first 8 columns, then of the others. 16 x 16 of B likewise:
            // two operands of 16 x 8.
            unsigned a[4][4], b[2][4];
#pragma unroll
            for (unsigned i = 0; i < 4; i++) read4(a[i], &s.a[y + i * 16 + lane % 16][q + lane / 16 * 8]);
#pragma unroll
            for (unsigned j = 0; j < 2; j++) read4_turned(b[j], &s.b[q + lane % 16][x + j * 16 + lane / 16 * 8]);
#pragma unroll
            for (unsigned i = 0; i < 4; i++)
#pragma unroll
                for (unsigned j = 0; j < 4; j++) mma(sum[i][j], a[i], &b[j / 2][j % 2 * 2]);
        }
    }
    y += row + lane / 4;
    x += col + lane % 4 * 2;
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
