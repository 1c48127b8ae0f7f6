// C = A B for bfloat16 with sums in float, where C is small, on Hopper's tensor cores (compute capability 9.0).
//
//  bf16_small_8  like bf16_wgmma (bf16_hopper.cu), but
//      - tiles of 64 x 64: of a C of this size nothing is multiplied for nothing. A step is 128 deep, and each of the two
//        warpgroups takes half of that depth for the whole tile;
//      - the 8 blocks of a cluster share out a slice of the depth: no tile goes to two of them. They add up what they
//        have through each other's shared memory, each an eighth of the tile;
//      - if a tile has several clusters, each leaves its sums in global memory. Of the blocks that have the same eighth,
//        the last to come adds them up, always in the order of the clusters.
//  bf16_medium_8, bf16_medium_2, bf16_medium_1  like bf16_small_8, but tiles of 128 x 128, in clusters of that
//      number of blocks: for a larger C, where what counts is how often A and B are read. A warpgroup has 64 rows.
//
// Rows of A and B begin at multiples of 16 bytes: pads.cu copies matrices for which that is not so.
// Grid: `slices` blocks a tile, tiles in bands of 8 rows; 288 threads; dynamic shared memory: sizeof(Small::Shared).
// `sums` has room for every tile once for each of its clusters. `came` has a zero for each tile and block of a cluster.
// target: compute_90a
#include "small.cuh"

// Bytes of a row of a box, as wide as the swizzle: 64 elements. A box of B has as many rows.
const unsigned ROW = 128, BOX = 64 * ROW;

// A tile of 64 WARPGROUPS rows and COLUMNS columns: WARPGROUPS of the two lie one below the other.
template <unsigned WARPGROUPS, unsigned COLUMNS>
struct Bf16 {
    enum : unsigned { M = 64 * WARPGROUPS, N = COLUMNS, DEEP = 2 / WARPGROUPS, DEPTH = 64 * DEEP, SUMS = N / 2 };
    enum : unsigned { STAGES = 6, TWICE = DEEP == 2 };
    struct Stage {
        unsigned char a[DEEP][M * ROW], b[DEEP][N / 64][BOX];
    };

    static __device__ void bring(Stage& to, const Map* of_a, const Map* of_b, unsigned row, unsigned column, unsigned q,
                                 unsigned long long* full) {
#pragma unroll
        for (unsigned i = 0; i < DEEP; i++) {
            copy_box(to.a[i], of_a, q + i * 64, row, full);
#pragma unroll
            for (unsigned j = 0; j < N / 64; j++) copy_box(to.b[i][j], of_b, column + j * 64, q + i * 64, full);
        }
    }

    static __device__ void multiply(float (&d)[SUMS], Stage* stages, unsigned long long* full,
                                    unsigned long long* empty, unsigned steps, unsigned rank) {
        unsigned group = threadIdx.x / 128, deep = TWICE ? group : 0, row = TWICE ? 0 : group * 64;
        unsigned before = STAGES;  // the stage that is still being read
        Turn<STAGES> turn;
#pragma unroll 1
        for (; steps > 0; steps--, turn.next()) {
            barrier_wait(&full[turn.stage], turn.parity);
            // A lies along the depth: 16 elements further are 32 bytes. B lies across it: they are 16 rows of a box.
            unsigned long long a = describe(stages[turn.stage].a[deep] + row * ROW, 16, 8 * ROW);
            unsigned long long b = describe(stages[turn.stage].b[deep], BOX, 8 * ROW);
            product_begin();
#pragma unroll
            for (unsigned i = 0; i < 4; i++) add_bf16(d, a + (i * 32 >> 4), b + (i * 16 * ROW >> 4));
            product_commit();
            product_wait<1>();
            if (before < STAGES && threadIdx.x % 32 == 0) barrier_arrive(&empty[before], rank);
            before = turn.stage;
        }
        product_wait<0>();
    }

    // The sums 4 i to 4 i + 3 of a thread: two neighbours in each of two rows.
    static __device__ void put(float* C, unsigned m, unsigned n, unsigned row, unsigned column, unsigned group,
                               unsigned i, float4 v) {
        unsigned lane = threadIdx.x % 32, y = row + group * 64 + threadIdx.x % 128 / 32 * 16 + lane / 4;
        unsigned x = column + i * 8 + lane % 4 * 2;
        put_two(C, m, n, y, x, v.x, v.y);
        put_two(C, m, n, y + 8, x, v.z, v.w);
    }
};

using Tile64 = Bf16<1, 64>;
using Tile128 = Bf16<2, 128>;

KERNEL(bf16_small_8, Tile64, 8)
KERNEL(bf16_medium_8, Tile128, 8)
KERNEL(bf16_medium_2, Tile128, 2)
KERNEL(bf16_medium_1, Tile128, 1)
