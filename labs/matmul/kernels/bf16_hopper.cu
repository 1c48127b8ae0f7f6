// C = A B for bfloat16 with sums in float, by the instructions that only Hopper has (compute capability 9.0).
//
//  bf16_wgmma  like bf16_mma (bf16.cu), but
//      - products by a warpgroup of 4 warps (wgmma): 64 x 256 results, 16 deep, read straight from shared memory;
//      - tiles are brought by the tensor memory accelerator (TMA), which one thread asks for boxes. It lays them out
//        with a swizzle, so that nothing has bank conflicts;
//      - one warpgroup only brings tiles, and gives its registers to the two that multiply;
//      - STAGES tiles are in shared memory. The barriers `full` and `empty` say whose turn a stage is;
//      - two blocks form a cluster. Their tiles lie one below the other and need the same columns of B: each brings half
//        of them for both;
//      - as many blocks as fit: each takes tile after tile, and brings the next while it stores the last.
//
// A block's tile of C is 128 x 256; the two warpgroups have 64 rows each.
// Rows of A and B begin at multiples of 16 bytes, as TMA needs: `pad` copies matrices for which that is not so.
// Grid: 2 blocks a cluster, 384 threads; dynamic shared memory: sizeof(Shared).
// target: compute_90a
#include "hopper.cuh"

const unsigned TILE_M = 128, TILE_N = 256, DEPTH = 64, STAGES = 4, BLOCKS = 2, BAND = 8;
// Bytes of a row of a box, as wide as the swizzle: 64 elements.
const unsigned ROW = 128;
// A box of B: 64 columns, DEPTH rows.
const unsigned BOX = DEPTH * ROW;

struct Shared {
    unsigned char a[STAGES][TILE_M * ROW], b[STAGES][TILE_N / 64][BOX];
    unsigned long long full[STAGES], empty[STAGES];
};

__device__ void bring(Shared& s, const Map* of_a, const Map* of_b, unsigned m, unsigned k, unsigned n) {
    unsigned rank = cluster_rank(), rows = (m + BLOCKS * TILE_M - 1) / (BLOCKS * TILE_M);
    unsigned columns = (n + TILE_N - 1) / TILE_N;
    Turn<STAGES> turn;
    for (unsigned t = blockIdx.x / BLOCKS; t < rows * columns; t += gridDim.x / BLOCKS) {
        Tile tile = tile_of(t, rows, columns, BAND);
        unsigned row = (tile.y * BLOCKS + rank) * TILE_M, column = tile.x * TILE_N;
        for (unsigned q = 0; q < k; q += DEPTH, turn.next()) {
            unsigned long long* full = &s.full[turn.stage];
            // Both blocks have read what was there: this block's half of B goes to both.
            barrier_wait(&s.empty[turn.stage], turn.parity ^ 1);
            barrier_expect(full, sizeof(s.a[0]) + sizeof(s.b[0]));
            copy_box(s.a[turn.stage], of_a, q, row, full);
            for (unsigned i = 0; i < TILE_N / 64 / BLOCKS; i++) {
                unsigned box = rank * (TILE_N / 64 / BLOCKS) + i;
                copy_box_to(s.b[turn.stage][box], of_b, column + box * 64, q, full, (1 << BLOCKS) - 1);
            }
        }
    }
}

__device__ void multiply(Shared& s, float* C, unsigned m, unsigned k, unsigned n) {
    unsigned rank = cluster_rank(), rows = (m + BLOCKS * TILE_M - 1) / (BLOCKS * TILE_M);
    unsigned columns = (n + TILE_N - 1) / TILE_N, group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32;
    Turn<STAGES> turn;
    for (unsigned t = blockIdx.x / BLOCKS; t < rows * columns; t += gridDim.x / BLOCKS) {
        float d[128];
        unsigned before = STAGES;  // the stage that is still being read
#pragma unroll 1
        for (unsigned q = 0; q < k; q += DEPTH, turn.next()) {
            barrier_wait(&s.full[turn.stage], turn.parity);
            // A lies along the depth: 16 elements further are 32 bytes. B lies across it: they are 16 rows of a box.
            unsigned long long a = describe(s.a[turn.stage] + group * 64 * ROW, 16, 8 * ROW);
            unsigned long long b = describe(s.b[turn.stage], BOX, 8 * ROW);
            product_begin();
#pragma unroll
            for (unsigned i = 0; i < DEPTH / 16; i++)
                multiply_bf16(d, a + (i * 32 >> 4), b + (i * 16 * ROW >> 4), q > 0 || i > 0);
            product_commit();
            product_wait<1>();
            if (before < STAGES && lane < BLOCKS) barrier_arrive(&s.empty[before], lane);
            before = turn.stage;
        }
        product_wait<0>();
        if (lane < BLOCKS) barrier_arrive(&s.empty[before], lane);
        Tile tile = tile_of(t, rows, columns, BAND);
        store_rows(C, m, n, (tile.y * BLOCKS + rank) * TILE_M + group * 64, tile.x * TILE_N, d);
    }
}

extern "C" __global__ __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1) void bf16_wgmma(
    const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float* C, unsigned m, unsigned k, unsigned n) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& s = *(Shared*)memory;
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < STAGES; i++) {
            barrier_init(&s.full[i], 1);
            barrier_init(&s.empty[i], 8 * BLOCKS);  // the warps that multiply, of all blocks
        }
        fence_barriers();
    }
    cluster_sync();
    if (threadIdx.x < 128) {
        fewer_registers<40>();
        if (threadIdx.x == 0) bring(s, &of_a, &of_b, m, k, n);
    } else {
        more_registers<232>();
        multiply(s, C, m, k, n);
    }
    // A block may end only when no other block copies to it or arrives at its barriers.
    cluster_sync();
}

// Copies a matrix of `columns` columns to rows of `stride` elements, 8 at a time.
extern "C" __global__ void pad(const unsigned short* from, unsigned short* to, unsigned rows, unsigned columns,
                               unsigned stride) {
    size_t all = (size_t)rows * (stride / 8);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all; i += (size_t)gridDim.x * blockDim.x) {
        size_t row = i / (stride / 8);
        unsigned column = i % (stride / 8) * 8;
        __align__(16) unsigned short part[8];
#pragma unroll
        for (unsigned c = 0; c < 8; c++) part[c] = column + c < columns ? from[row * columns + column + c] : 0;
        *(uint4*)&to[row * stride + column] = *(const uint4*)part;
    }
}
