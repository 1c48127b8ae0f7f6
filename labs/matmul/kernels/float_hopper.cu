// C = A B in float, without tensor cores, for small C on Hopper (compute capability 9.0). float_even.cu is for large C.
//
//  float_medium_2  like four_deep (stream.cu), but one thread asks the tensor memory accelerator (TMA) for whole tiles. No
//         thread computes addresses or asks whether it is inside the matrices. All threads meet at a barrier in each step:
//         warps that run apart would fetch different parts of the loop.
//         Steps of depth 32, so that a row of A's tile has 128 bytes. The swizzle of that width puts the same 16 bytes
//         of 4 neighbouring rows in different banks.
//         Tiles of 64 x 128, 128 threads with 8 x 8 elements each, three blocks on a multiprocessor. A whole step is one
//         stretch of code, because the compiler moves nothing over the end of one. The two blocks of a cluster have half
//         the depth of a tile each. They add their sums through each other's shared memory (distributed shared memory),
//         each half of the tile.
//  float_small  like float_medium_2, but without clusters; tiles of 64 x 64, 64 threads with 8 x 8 elements each, two
//         stages, and a quarter of a step in a stretch: six blocks, which begin and end apart, and hide each other's waits.
//  float_small_2, float_small_4  like float_small, but the blocks of a cluster share out the depth, as in float_medium_2.
//
// If a tile has more slices of the depth than its cluster has blocks, they are added to C by atomics, and it must hold
// zeros.
// Rows of A and B begin at multiples of 16 bytes: pads.cu copies matrices for which that is not so.
// Grid: `slices` blocks a tile, tiles in bands of BAND rows. Dynamic shared memory: sizeof(Block::Shared).
// target: compute_90a
#include "hopper.cuh"

const unsigned DEPTH = 32, BAND = 8;
// Rows of sums of a thread, and of warps in a block.
const unsigned ROWS = 8, WY = 2;

extern __shared__ __align__(1024) unsigned char memory[];

// A block of WY x WX warps, with STAGES steps in shared memory. A thread has ROWS x 8 elements: every fourth row of its
// warp's 4 ROWS rows, and two groups of four columns of its warp's 64. FOURS times four steps of the depth are written
// out one after the other.
template <unsigned WX, unsigned STAGES, unsigned FOURS>
struct Block {
    enum : unsigned { M = 4 * ROWS * WY, N = 64 * WX, THREADS = 32 * WY * WX, PARTS = ROWS * 2 };
    struct Stage {
        float a[M][DEPTH], b[DEPTH][N];
    };
    struct Shared {
        union {
            Stage stage[STAGES];
            float4 part[PARTS][THREADS];  // when all is multiplied, the block's sums
        };
        unsigned long long full[STAGES];
    };

    Shared& s;
    const Map *of_a, *of_b;
    unsigned row, column;  // of the tile in C
    unsigned ly, y, x;     // the thread's first row in its warp's part; its first row and column in the tile
    unsigned a, b;         // where that row of A, and that column of B, begin in a stage, in bytes
    float sum[ROWS][8] = {};

    __device__ Block(Shared& s, const Map* of_a, const Map* of_b, Tile tile)
        : s(s), of_a(of_a), of_b(of_b), row(tile.y * M), column(tile.x * N) {
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        ly = lane / 2 % 2 + lane / 16 * 2;
        y = warp / WX * 4 * ROWS + ly;
        x = warp % WX * 64 + (lane % 2 + lane / 4 % 4 * 2) * 4;
        a = y * DEPTH * 4, b = sizeof(Stage::a) + x * 4;
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

    // Reads four rows of B, for the steps 4 four to 4 four + 3 along the depth, from the stage that begins at a byte.
    __device__ void read(float (&to)[4][8], unsigned stage, unsigned four) const {
        const unsigned char* from = memory + (stage + b + four * 4 * N * 4);
#pragma unroll
        for (unsigned q = 0; q < 4; q++)
#pragma unroll
            for (unsigned c = 0; c < 8; c += 4) *(float4*)&to[q][c] = *(const float4*)(from + (q * N + c * 8) * 4);
    }

    // Four steps: a row of A after the other, each with all of B's. In row i the swizzle puts the 16 bytes of number j
    // in place j ^ i % 8; here i % 8 is ly, or ly + 4 in every second row.
    __device__ void multiply(unsigned stage, unsigned four, const float (&v)[4][8]) {
        unsigned even = stage + a + (four ^ ly) * 16, odd = stage + a + (four ^ ly ^ 4) * 16;
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            float4 u = *(const float4*)(memory + (r % 2 ? odd : even) + r * 4 * DEPTH * 4);
            float of_a[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
            for (unsigned q = 0; q < 4; q++)
#pragma unroll
                for (unsigned c = 0; c < 8; c++) sum[r][c] += of_a[q] * v[q][c];
        }
    }

    // Adds up the steps `from` to `to`, the last one left out.
    __device__ void add_up(unsigned from, unsigned to) {
        if (threadIdx.x == 0)
            for (unsigned i = 0; i < STAGES - 1 && from + i < to; i++) bring(i, (from + i) * DEPTH);
        Turn<STAGES> now;
        __align__(16) float of_b[2][4][8];
        barrier_wait(&s.full[0], 0);
        read(of_b[0], 0, 0);
#pragma unroll 1
        for (unsigned step = from; step < to; step++) {
            Turn<STAGES> after = now;
            after.next();
            unsigned here = now.stage * sizeof(Stage), there = after.stage * sizeof(Stage);
            // All have read the stage of the step before: it is filled again.
            __syncthreads();
            if (threadIdx.x == 0 && step + STAGES - 1 < to)
                bring(now.stage == 0 ? STAGES - 1 : now.stage - 1, (step + STAGES - 1) * DEPTH);
#pragma unroll 1
            for (unsigned first = 0; first < DEPTH / 4; first += FOURS) {
#pragma unroll
                for (unsigned i = 0; i < FOURS; i++) {
                    // What is needed next of B comes while this is multiplied.
                    bool ends = i == FOURS - 1 && first + FOURS == DEPTH / 4, more = !ends || step + 1 < to;
                    if (ends && more) barrier_wait(&s.full[after.stage], after.parity);
                    if (more) read(of_b[(i + 1) % 2], ends ? there : here, ends ? 0 : first + i + 1);
                    multiply(here, first + i, of_b[i % 2]);
                }
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
        for (unsigned i = 0; i < PARTS; i++) s.part[i][threadIdx.x] = four(i / 2, i % 2);
        cluster_sync();
        for (unsigned i = cluster_rank(); i < PARTS; i += BLOCKS) {
            float4 all = {};
#pragma unroll
            for (unsigned block = 0; block < BLOCKS; block++) {
                float4 v = read_from(&s.part[i][threadIdx.x], block);
                all = make_float4(all.x + v.x, all.y + v.y, all.z + v.z, all.w + v.w);
            }
            put(C, m, n, i / 2, i % 2, all, adds);
        }
        // A block may end only when no other block reads its memory.
        cluster_sync();
    }
};

template <class Of, unsigned BLOCKS>
__device__ void product(const Map* of_a, const Map* of_b, float* C, unsigned m, unsigned k, unsigned n, unsigned slices) {
    Tile tile = tile_of(blockIdx.x / slices, (m + Of::M - 1) / Of::M, (n + Of::N - 1) / Of::N, BAND);
    Of block(*(typename Of::Shared*)memory, of_a, of_b, tile);
    unsigned long long steps = (k + DEPTH - 1) / DEPTH, slice = blockIdx.x % slices;
    block.add_up(steps * slice / slices, steps * (slice + 1) / slices);
    if constexpr (BLOCKS > 1) {
        block.template reduce<BLOCKS>(C, m, n, slices > BLOCKS);
    } else {
#pragma unroll
        for (unsigned i = 0; i < Of::PARTS; i++) block.put(C, m, n, i / 2, i % 2, block.four(i / 2, i % 2), slices > 1);
    }
}

using Medium = Block<2, 3, 8>;
using Small = Block<1, 2, 2>;

#define KERNEL(NAME, OF, BLOCKS, HELD)                                                                              \
    extern "C" __global__ __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(OF::THREADS, HELD) void NAME(            \
        const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float* C, unsigned m, unsigned k,       \
        unsigned n, unsigned slices) {                                                                              \
        product<OF, BLOCKS>(&of_a, &of_b, C, m, k, n, slices);                                                      \
    }

KERNEL(float_medium_2, Medium, 2, 3)
KERNEL(float_small, Small, 1, 6)
KERNEL(float_small_2, Small, 2, 6)
KERNEL(float_small_4, Small, 4, 6)
