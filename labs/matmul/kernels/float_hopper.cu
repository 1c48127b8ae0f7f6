// C = A B in float, without tensor cores, but with the copies and clusters that only Hopper has (compute capability 9.0).
//
//  float_large  like four_deep (stream.cu), but one thread asks the tensor memory accelerator (TMA) for whole tiles. No
//         thread computes addresses or asks whether it is inside the matrices: of 100 instructions in the loop 92 are
//         multiply-adds. All threads meet at a barrier in each step: warps that run apart would fetch different parts of
//         the loop. With barriers that let them (as in bf16_hopper.cu) an H200 was 11 % slower at 4096 cubed.
//         Steps of depth 32, so that a row of A's tile has 128 bytes. The swizzle of that width puts the same 16 bytes
//         of 4 neighbouring rows in different banks.
//         Tiles of 128 x 128, 128 threads with 16 x 8 elements each, two blocks on a multiprocessor.
//  float_small  like float_large, but tiles of 64 x 64, 64 threads with 8 x 8 elements each, and four blocks: for small C.
//  float_large_2, float_small_2  like these, but the two blocks of a cluster have half the depth of a tile each. They add
//         their sums through each other's shared memory (distributed shared memory), each half of the tile.
//
// If a tile has more slices of the depth than its cluster has blocks, they are added to C by atomics, and it must hold
// zeros.
// Rows of A and B begin at multiples of 16 bytes: `pad` copies matrices for which that is not so.
// Grid: `slices` blocks a tile, tiles in bands of BAND rows. Dynamic shared memory: sizeof(Block::Shared).
// target: compute_90a
#include "hopper.cuh"
#include "pad.cuh"

const unsigned DEPTH = 32, STAGES = 3, BAND = 8;

// A block of WY x WX warps. A thread has ROWS x 8 elements: every fourth row of its warp's 4 ROWS rows, and two groups of
// four columns of its warp's 64.
template <unsigned ROWS, unsigned WY, unsigned WX>
struct Block {
    enum : unsigned { M = 4 * ROWS * WY, N = 64 * WX, THREADS = 32 * WY * WX };
    struct Stage {
        float a[M][DEPTH], b[DEPTH][N];
    };
    struct Shared {
        union {
            Stage stage[STAGES];
            float4 part[ROWS * 2][THREADS];  // when all is multiplied, the block's sums
        };
        unsigned long long full[STAGES];
    };

    Shared& s;
    const Map *of_a, *of_b;
    unsigned row, column;  // of the tile in C
    unsigned ly, y, x;     // the thread's first row in its warp's part; its first row and column in the tile
    float sum[ROWS][8] = {};

    __device__ Block(Shared& s, const Map* of_a, const Map* of_b, Tile tile)
        : s(s), of_a(of_a), of_b(of_b), row(tile.y * M), column(tile.x * N) {
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        ly = lane / 2 % 2 + lane / 16 * 2;
        y = warp / WX * 4 * ROWS + ly;
        x = warp % WX * 64 + (lane % 2 + lane / 4 % 4 * 2) * 4;
        if (threadIdx.x == 0) {
            for (unsigned i = 0; i < STAGES; i++) barrier_init(&s.full[i], 1);
            fence_barriers();
        }
        __syncthreads();
    }

    // Asks for the step that begins at depth q. One thread calls it.
    __device__ void bring(unsigned stage, unsigned q) {
        barrier_expect(&s.full[stage], sizeof(Stage));
        copy_box(s.stage[stage].a, of_a, q, row, &s.full[stage]);
        copy_box(s.stage[stage].b, of_b, column, q, &s.full[stage]);
    }

    // Reads four rows of B, for four steps along the depth.
    __device__ void read(float (&b)[4][8], const Stage& from, unsigned quarter) const {
        const float(*rows)[N] = &from.b[quarter * 4];
#pragma unroll
        for (unsigned q = 0; q < 4; q++)
#pragma unroll
            for (unsigned c = 0; c < 8; c += 4) *(float4*)&b[q][c] = *(const float4*)&rows[q][x + c * 8];
    }

    // Four steps: a row of A after the other, each with all of b. In row i the swizzle puts the 16 bytes of number j in
    // place j ^ i % 8; here i % 8 is ly, or ly + 4 in every second row.
    __device__ void multiply(const Stage& from, unsigned quarter, const float (&b)[4][8]) {
        const float* even = &from.a[y][(quarter ^ ly) * 4];
        const float* odd = &from.a[y][(quarter ^ ly ^ 4) * 4];
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            float4 u = *(const float4*)((r % 2 ? odd : even) + r * 4 * DEPTH);
            float a[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
            for (unsigned q = 0; q < 4; q++)
#pragma unroll
                for (unsigned c = 0; c < 8; c++) sum[r][c] += a[q] * b[q][c];
        }
    }

    // Adds up the steps `from` to `to`, the last one left out.
    __device__ void add_up(unsigned from, unsigned to) {
        if (threadIdx.x == 0)
            for (unsigned i = 0; i < STAGES - 1 && from + i < to; i++) bring(i, (from + i) * DEPTH);
        Turn<STAGES> now;
        __align__(16) float b[2][4][8];
        barrier_wait(&s.full[0], 0);
        read(b[0], s.stage[0], 0);
        for (unsigned step = from; step < to; step++) {
            Turn<STAGES> after = now;
            after.next();
            // All have read the stage of the step before: it is filled again.
            __syncthreads();
            if (threadIdx.x == 0 && step + STAGES - 1 < to)
                bring(now.stage == 0 ? STAGES - 1 : now.stage - 1, (step + STAGES - 1) * DEPTH);
#pragma unroll 2
            for (unsigned quarter = 0; quarter < DEPTH / 4; quarter += 2) {
                // What the next quarter needs of B comes while this one is multiplied.
                read(b[1], s.stage[now.stage], quarter + 1);
                multiply(s.stage[now.stage], quarter, b[0]);
                if (quarter + 2 < DEPTH / 4) {
                    read(b[0], s.stage[now.stage], quarter + 2);
                } else if (step + 1 < to) {
                    barrier_wait(&s.full[after.stage], after.parity);
                    read(b[0], s.stage[after.stage], 0);
                }
                multiply(s.stage[now.stage], quarter + 1, b[1]);
            }
            now = after;
        }
    }

    // Four neighbouring sums of row r, group h of columns.
    __device__ float4 four(unsigned r, unsigned h) const {
        return make_float4(sum[r][4 * h], sum[r][4 * h + 1], sum[r][4 * h + 2], sum[r][4 * h + 3]);
    }

    // Stores four neighbouring sums, or adds them to C.
    __device__ void put(float* C, unsigned m, unsigned n, unsigned r, unsigned h, float4 v, bool adds) const {
        unsigned i = row + y + r * 4, j = column + x + h * 32;
        if (i >= m) return;
        float *to = C + (size_t)i * n + j, all[4] = {v.x, v.y, v.z, v.w};
        if (n % 4 == 0) {
            if (j < n && adds)
                atomicAdd((float4*)to, v);
            else if (j < n)
                *(float4*)to = v;
            return;
        }
#pragma unroll
        for (unsigned c = 0; c < 4; c++) {
            if (j + c >= n) continue;
            if (adds)
                atomicAdd(to + c, all[c]);
            else
                to[c] = all[c];
        }
    }

    // Adds what the cluster's blocks have summed: each adds every BLOCKS-th part, and puts it.
    template <unsigned BLOCKS>
    __device__ void reduce(float* C, unsigned m, unsigned n, bool adds) {
        // Other warps may still read the stages.
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < ROWS * 2; i++) s.part[i][threadIdx.x] = four(i / 2, i % 2);
        cluster_sync();
        for (unsigned i = cluster_rank(); i < ROWS * 2; i += BLOCKS) {
            float4 all = {};
#pragma unroll
            for (unsigned block = 0; block < BLOCKS; block++) {
                float4 v = read_from(&s.part[i][threadIdx.x], block);
                all = make_float4(all.x + v.x, all.y + v.y, all.z + v.z, all.w + v.w);
            }
            put(C, m, n, i / 2, i % 2, all, adds);
        }
        // A block may end only when nobody reads its memory.
        cluster_sync();
    }
};

template <unsigned ROWS, unsigned WY, unsigned WX, unsigned BLOCKS>
__device__ void product(const Map* of_a, const Map* of_b, float* C, unsigned m, unsigned k, unsigned n, unsigned slices) {
    extern __shared__ __align__(1024) unsigned char memory[];
    using Of = Block<ROWS, WY, WX>;
    Tile tile = tile_of(blockIdx.x / slices, (m + Of::M - 1) / Of::M, (n + Of::N - 1) / Of::N, BAND);
    Of block(*(typename Of::Shared*)memory, of_a, of_b, tile);
    unsigned long long steps = (k + DEPTH - 1) / DEPTH, slice = blockIdx.x % slices;
    block.add_up(steps * slice / slices, steps * (slice + 1) / slices);
    if constexpr (BLOCKS > 1) {
        block.template reduce<BLOCKS>(C, m, n, slices > BLOCKS);
    } else {
#pragma unroll
        for (unsigned i = 0; i < ROWS * 2; i++) block.put(C, m, n, i / 2, i % 2, block.four(i / 2, i % 2), slices > 1);
    }
}

#define KERNEL(NAME, BLOCKS, ROWS, WY, WX, HELD)                                                                      \
    extern "C" __global__ __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(32 * WY * WX, HELD) void NAME(             \
        const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float* C, unsigned m, unsigned k, unsigned n, \
        unsigned slices) {                                                                                            \
        product<ROWS, WY, WX, BLOCKS>(&of_a, &of_b, C, m, k, n, slices);                                              \
    }

KERNEL(float_large, 1, 16, 2, 2, 2)
KERNEL(float_large_2, 2, 16, 2, 2, 2)
KERNEL(float_small, 1, 8, 2, 1, 4)
KERNEL(float_small_2, 2, 8, 2, 1, 4)
