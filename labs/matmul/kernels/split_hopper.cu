// C = A B for floats with float's accuracy, on Hopper's tensor cores (compute capability 9.0).
//
//  tf32x3_wgmma  like tf32x3 (tensor.cu), but with the pipeline of bf16_wgmma (bf16_hopper.cu). wgmma reads both operands
//      from shared memory, where nothing can be split on the way. `split_rows` and `split_columns` therefore write the big
//      and the small parts of A and B to memory beforehand. They also turn B, because wgmma takes TF32 only along the depth,
//      and begin every row at a multiple of 16 bytes, as TMA needs.
//      The tensor cores cut their sums off: they add PART = 16 products of a depth, and the floats are added by threads.
//      While one warpgroup does so, the tensor cores work for the other.
//
// A block's tile of C is 128 x 128; its two warpgroups have 64 rows each. The two blocks of a cluster lie one below the
// other, and each brings half of the columns of B for both.
// Grid: 2 blocks a cluster, 384 threads; dynamic shared memory: sizeof(Shared).
// target: compute_90a
#include "hopper.cuh"

const unsigned TILE_M = 128, TILE_N = 128, DEPTH = 32, PART = 16, STAGES = 3, BLOCKS = 2, BAND = 8;
// Bytes of a row of a box, as wide as the swizzle: 32 floats.
const unsigned ROW = 128;

struct Shared {
    // Of each, the big parts and the small ones.
    unsigned char a[STAGES][2][TILE_M * ROW], b[STAGES][2][TILE_N * ROW];
    unsigned long long full[STAGES], empty[STAGES];
};

struct Maps {
    const Map *a[2], *b[2];
};

__device__ void bring(Shared& s, const Maps& of, unsigned m, unsigned k, unsigned n) {
    unsigned rank = cluster_rank(), rows = (m + BLOCKS * TILE_M - 1) / (BLOCKS * TILE_M);
    unsigned columns = (n + TILE_N - 1) / TILE_N;
    Turn<STAGES> turn;
    for (unsigned t = blockIdx.x / BLOCKS; t < rows * columns; t += gridDim.x / BLOCKS) {
        Tile tile = tile_of(t, rows, columns, BAND);
        unsigned row = (tile.y * BLOCKS + rank) * TILE_M, column = tile.x * TILE_N;
        for (unsigned q = 0; q < k; q += DEPTH, turn.next()) {
            unsigned long long* full = &s.full[turn.stage];
            unsigned half = rank * (TILE_N / BLOCKS);
            barrier_wait(&s.empty[turn.stage], turn.parity ^ 1);
            barrier_expect(full, sizeof(s.a[0]) + sizeof(s.b[0]));
#pragma unroll
            for (unsigned i = 0; i < 2; i++) {
                copy_box(s.a[turn.stage][i], of.a[i], q, row, full);
                copy_box_to(s.b[turn.stage][i] + half * ROW, of.b[i], q, column + half, full, (1 << BLOCKS) - 1);
            }
        }
    }
}

__device__ void multiply(Shared& s, float* C, unsigned m, unsigned k, unsigned n) {
    unsigned rank = cluster_rank(), rows = (m + BLOCKS * TILE_M - 1) / (BLOCKS * TILE_M);
    unsigned columns = (n + TILE_N - 1) / TILE_N, group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32;
    Turn<STAGES> turn;
    for (unsigned t = blockIdx.x / BLOCKS; t < rows * columns; t += gridDim.x / BLOCKS) {
        float sum[64] = {};
        for (unsigned q = 0; q < k; q += DEPTH, turn.next()) {
            barrier_wait(&s.full[turn.stage], turn.parity);
            unsigned long long a[2], b[2];
#pragma unroll
            for (unsigned i = 0; i < 2; i++) {
                a[i] = describe(s.a[turn.stage][i] + group * 64 * ROW, 16, 8 * ROW);
                b[i] = describe(s.b[turn.stage][i], 16, 8 * ROW);
            }
#pragma unroll
            for (unsigned p = 0; p < DEPTH; p += PART) {
                float part[64];
                product_begin();
                // The small parts first, because they would be lost next to a large sum.
#pragma unroll
                for (unsigned way = 0; way < 3; way++)
#pragma unroll
                    for (unsigned i = p; i < p + PART; i += 8)
                        multiply_tf32(part, a[way == 0] + (i * 4 >> 4), b[way == 1] + (i * 4 >> 4), way > 0 || i > p);
                product_commit();
                product_wait<0>();
                if (p + PART == DEPTH && lane < BLOCKS) barrier_arrive(&s.empty[turn.stage], lane);
#pragma unroll
                for (unsigned e = 0; e < 64; e++) sum[e] += part[e];
            }
        }
        Tile tile = tile_of(t, rows, columns, BAND);
        store_rows(C, m, n, (tile.y * BLOCKS + rank) * TILE_M + group * 64, tile.x * TILE_N, sum);
    }
}

extern "C" __global__ __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1) void tf32x3_wgmma(
    const __grid_constant__ Map big_a, const __grid_constant__ Map big_b, const __grid_constant__ Map small_a,
    const __grid_constant__ Map small_b, float* C, unsigned m, unsigned k, unsigned n) {
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
        if (threadIdx.x == 0) bring(s, {{&big_a, &small_a}, {&big_b, &small_b}}, m, k, n);
    } else {
        more_registers<232>();
        multiply(s, C, m, k, n);
    }
    cluster_sync();
}

// x = big + small, each with 11 bits; what is beyond is below the last bit of a float.
__device__ float2 split(float x) {
    unsigned big, small;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(big) : "f"(x));
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(small) : "f"(x - __uint_as_float(big)));
    return make_float2(__uint_as_float(big), __uint_as_float(small));
}

// Splits a matrix: its big parts in rows of `stride` floats, and after them its small parts. 4 at a time.
extern "C" __global__ void split_rows(const float* from, float* to, unsigned rows, unsigned columns, unsigned stride) {
    size_t all = (size_t)rows * (stride / 4);
    float* small = to + (size_t)rows * stride;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all; i += (size_t)gridDim.x * blockDim.x) {
        size_t row = i / (stride / 4);
        unsigned column = i % (stride / 4) * 4;
        const float* f = from + row * columns + column;
        float4 x;
        if (columns == stride) {
            x = *(const float4*)f;
        } else {
            auto at = [&](unsigned c) { return column + c < columns ? f[c] : 0.0f; };
            x = make_float4(at(0), at(1), at(2), at(3));
        }
        float2 p[4] = {split(x.x), split(x.y), split(x.z), split(x.w)};
        *(float4*)&to[row * stride + column] = make_float4(p[0].x, p[1].x, p[2].x, p[3].x);
        *(float4*)&small[row * stride + column] = make_float4(p[0].y, p[1].y, p[2].y, p[3].y);
    }
}

// As split_rows, but turned: the columns of `from` are the rows of `to`. A block takes 32 x 32 by 32 x 8 threads.
extern "C" __global__ void split_columns(const float* from, float* to, unsigned rows, unsigned columns,
                                         unsigned stride) {
    __shared__ float part[32][33];
    unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
    unsigned across = (columns + 31) / 32, tiles = across * ((rows + 31) / 32);
    float* small = to + (size_t)columns * stride;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned row = tile / across * 32, column = tile % across * 32;
#pragma unroll
        for (unsigned i = y; i < 32; i += 8)
            if (row + i < rows && column + x < columns) part[i][x] = from[(size_t)(row + i) * columns + column + x];
        __syncthreads();
#pragma unroll
        for (unsigned i = y; i < 32; i += 8) {
            if (column + i >= columns || row + x >= rows) continue;
            float2 p = split(part[x][i]);
            to[(size_t)(column + i) * stride + row + x] = p.x;
            small[(size_t)(column + i) * stride + row + x] = p.y;
        }
        __syncthreads();
    }
}
