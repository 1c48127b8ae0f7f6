// C = A B for floats, rounded to TF32 (11 bits), where C is small, on Hopper's tensor cores (compute capability 9.0).
//
//  tf32_small_8  like bf16_small_8 (bf16_small.cu), but TF32: the transpose is computed, with B^T from registers, as in
//      tf32_wgmma (tf32_hopper.cu). A step is 64 deep. A thread has registers for four products, so that three of them
//      run while those of the next are read.
//  tf32_medium_8, tf32_medium_2, tf32_medium_1  like tf32_small_8, but tiles of 128 x 128, in clusters of that
//      number of blocks. A warpgroup has 64 columns.
//
// Rows of A and B begin at multiples of 16 bytes: pads.cu copies matrices for which that is not so.
// Grid, threads, shared memory, `sums` and `came`: as in bf16_small.cu.
// target: compute_90a
#include "small.cuh"

// Bytes of a row of a box, as wide as the swizzle: 32 floats. A box of B has as many rows.
const unsigned ROW = 128, BOX = 32 * ROW;

// The nearest TF32; ties are rounded away from zero.
__device__ unsigned tf32_of(float x) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}

// A tile of ROWS rows and 64 WARPGROUPS columns: WARPGROUPS of the two lie side by side.
template <unsigned ROWS, unsigned WARPGROUPS>
struct Tf32 {
    enum : unsigned { M = ROWS, N = 64 * WARPGROUPS, DEEP = 2 / WARPGROUPS, DEPTH = 32 * DEEP, SUMS = M / 2 };
    enum : unsigned { STAGES = 6, TWICE = DEEP == 2 };
    struct Stage {
        unsigned char a[DEEP][M * ROW], b[DEEP][N / 32][BOX];
    };

    static __device__ void bring(Stage& to, const Map* of_a, const Map* of_b, unsigned row, unsigned column, unsigned q,
                                 unsigned long long* full) {
#pragma unroll
        for (unsigned i = 0; i < DEEP; i++) {
            copy_box(to.a[i], of_a, q + i * 32, row, full);
#pragma unroll
            for (unsigned j = 0; j < N / 32; j++) copy_box(to.b[i][j], of_b, column + j * 32, q + i * 32, full);
        }
    }

    static __device__ void multiply(float (&d)[SUMS], Stage* stages, unsigned long long* full,
                                    unsigned long long* empty, unsigned steps, unsigned rank) {
        unsigned group = threadIdx.x / 128, deep = TWICE ? group : 0, box = TWICE ? 0 : group * 2;
        // Where a thread finds its part of B^T, and which half of it first: as Part in tf32_hopper.cu.
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, l = lane % 4;
        unsigned column = warp % 2 * 16 + lane / 4 * 2;
        auto place = [&](unsigned depth) {
            return (box + warp / 2) * BOX + depth * ROW + (column / 4 ^ depth % 8) * 16 + column % 4 * 4;
        };
        bool turned = l > 1;
        unsigned first = place(turned ? l + 4 : l), second = place(turned ? l : l + 4);
        unsigned of_b[4][4], before = STAGES;
        Turn<STAGES> turn;
        for (; steps > 0; steps--, turn.next()) {
            barrier_wait(&full[turn.stage], turn.parity);
            unsigned long long of_a = describe(stages[turn.stage].a[deep], 16, 8 * ROW);
            const unsigned char* b = stages[turn.stage].b[deep][0];
#pragma unroll
            for (unsigned i = 0; i < 4; i++) {
                // The product of number i of the step before has read its registers.
                float2 u = *(const float2*)(b + first + i * 8 * ROW), v = *(const float2*)(b + second + i * 8 * ROW);
                float2 low = turned ? v : u, high = turned ? u : v;
                of_b[i][0] = tf32_of(low.x);
                of_b[i][1] = tf32_of(low.y);
                of_b[i][2] = tf32_of(high.x);
                of_b[i][3] = tf32_of(high.y);
                product_begin();
                add_tf32(d, of_b[i], of_a + (i * 32 >> 4));
                product_commit();
                product_wait<3>();
                // All products of the step before have ended.
                if (i == 2 && before < STAGES && lane == 0) barrier_arrive(&empty[before], rank);
            }
            before = turn.stage;
        }
        product_wait<0>();
    }

    // The sums 4 i to 4 i + 3 of a thread, turned: two neighbours in each of two rows.
    static __device__ void put(float* C, unsigned m, unsigned n, unsigned row, unsigned column, unsigned group,
                               unsigned i, float4 v) {
        unsigned lane = threadIdx.x % 32, x = column + group * 64 + threadIdx.x % 128 / 32 * 16 + lane / 4 * 2;
        unsigned y = row + i * 8 + lane % 4 * 2;
        put_two(C, m, n, y, x, v.x, v.z);
        put_two(C, m, n, y + 1, x, v.y, v.w);
    }
};

using Tile64 = Tf32<64, 1>;
using Tile128 = Tf32<128, 2>;

KERNEL(tf32_small_8, Tile64, 8)
KERNEL(tf32_medium_8, Tile128, 8)
KERNEL(tf32_medium_2, Tile128, 2)
KERNEL(tf32_medium_1, Tile128, 1)
