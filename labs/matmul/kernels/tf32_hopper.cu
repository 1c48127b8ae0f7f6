// C = A B for floats, rounded to TF32 (11 bits), by the instructions that only Hopper has (compute capability 9.0). Like
// bf16_wgmma (bf16_hopper.cu), with the same pipeline, but wgmma takes TF32 from shared memory only where it lies along
// the depth, and B lies across it. There are two ways out.
//
//  tf32_wgmma  computes the transpose, B^T A^T: now A is the second operand, and it does lie along the depth. The first
//      operand may come from registers: each thread reads its part of B^T, two columns of B at 2 x 4 depths for each
//      product. It rounds them there; of A, the tensor cores cut off what is beyond TF32.
//      A block has 256 rows and 128 columns of C, and a warpgroup 64 of the columns. The blocks of a cluster lie side by
//      side, and share the rows of A.
//
// Rows of A and B begin at multiples of 16 bytes: `pad` copies matrices for which that is not so.
// Grid: 2 blocks a cluster, 384 threads; dynamic shared memory: sizeof(Shared).
// target: compute_90a
#include "hopper.cuh"

const unsigned TILE_M = 256, TILE_N = 128, DEPTH = 32, STAGES = 4, BLOCKS = 2, BAND = 8;
// Bytes of a row of a box, as wide as the swizzle: 32 floats.
const unsigned ROW = 128;
// A box of B: 32 columns, DEPTH rows.
const unsigned BOX = DEPTH * ROW;

struct Shared {
    unsigned char a[STAGES][TILE_M * ROW], b[STAGES][TILE_N / 32][BOX];
    unsigned long long full[STAGES], empty[STAGES];
};

__device__ void bring(Shared& s, const Map* of_a, const Map* of_b, unsigned m, unsigned k, unsigned n) {
    unsigned rank = cluster_rank(), rows = (m + TILE_M - 1) / TILE_M;
    unsigned columns = (n + BLOCKS * TILE_N - 1) / (BLOCKS * TILE_N);
    Turn<STAGES> turn;
    for (unsigned t = blockIdx.x / BLOCKS; t < rows * columns; t += gridDim.x / BLOCKS) {
        Tile tile = tile_of(t, rows, columns, BAND);
        unsigned row = tile.y * TILE_M, column = (tile.x * BLOCKS + rank) * TILE_N;
        for (unsigned q = 0; q < k; q += DEPTH, turn.next()) {
            unsigned long long* full = &s.full[turn.stage];
            barrier_wait(&s.empty[turn.stage], turn.parity ^ 1);
            barrier_expect(full, sizeof(s.a[0]) + sizeof(s.b[0]));
            for (unsigned i = 0; i < TILE_N / 32; i++) copy_box(s.b[turn.stage][i], of_b, column + i * 32, q, full);
            // This block's half of the rows of A goes to both.
            unsigned half = rank * (TILE_M / BLOCKS);
            copy_box_to(s.a[turn.stage] + half * ROW, of_a, q, row + half, full, (1 << BLOCKS) - 1);
        }
    }
}

// The nearest TF32; ties are rounded away from zero.
__device__ unsigned tf32_of(float x) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}

// Where a thread finds its part of B^T. Rows g and g + 8 of the operand, g = lane / 4, are the columns 2 g and 2 g + 1 of
// the warp's 16; depths are l and l + 4, l = lane % 4. If all lanes read depth l first, the swizzle would put rows 0 to
// 3 in the same half of the banks; so lanes with l > 1 read l + 4 first, and change the two afterwards.
struct Part {
    unsigned first, second;
    bool turned;
    __device__ Part() {
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, l = lane % 4;
        unsigned column = warp % 2 * 16 + lane / 4 * 2, box = (threadIdx.x / 128 - 1) * 2 + warp / 2;
        auto place = [&](unsigned depth) {
            return box * BOX + depth * ROW + (column / 4 ^ depth % 8) * 16 + column % 4 * 4;
        };
        turned = l > 1;
        first = place(turned ? l + 4 : l);
        second = place(turned ? l : l + 4);
    }
    // The operand of 8 depths, the first of which is 8 i.
    __device__ void read(unsigned (&to)[4], const unsigned char* b, unsigned i) const {
        float2 u = *(const float2*)(b + first + i * 8 * ROW), v = *(const float2*)(b + second + i * 8 * ROW);
        float2 low = turned ? v : u, high = turned ? u : v;
        to[0] = tf32_of(low.x);
        to[1] = tf32_of(low.y);
        to[2] = tf32_of(high.x);
        to[3] = tf32_of(high.y);
    }
};

// Stores a warpgroup's results, 256 rows by 64 columns, turned: a thread has two neighbouring columns in 2 of 8 rows.
__device__ void store(float* C, unsigned m, unsigned n, unsigned row, unsigned column, const float (&d)[128]) {
    unsigned lane = threadIdx.x % 32, x = column + threadIdx.x % 128 / 32 * 16 + lane / 4 * 2, y = row + lane % 4 * 2;
    float* to = C + (size_t)y * n + x;
    // Where all columns are inside, and every pair begins at a multiple of 8 bytes, only the rows are asked for.
    bool whole = n % 2 == 0 && column + 64 <= n;
#pragma unroll
    for (unsigned i = 0; i < 64; i++) {
        unsigned r = i / 2 * 8 + i % 2;
        if (y + r >= m) continue;
        float u = d[i / 2 * 4 + i % 2], v = d[i / 2 * 4 + i % 2 + 2];
        if (whole) {
            __stcs((float2*)(to + (size_t)r * n), make_float2(u, v));
        } else {
            if (x < n) to[(size_t)r * n] = u;
            if (x + 1 < n) to[(size_t)r * n + 1] = v;
        }
    }
}

__device__ void multiply(Shared& s, float* C, unsigned m, unsigned k, unsigned n) {
    unsigned rank = cluster_rank(), rows = (m + TILE_M - 1) / TILE_M, group = threadIdx.x / 128 - 1;
    unsigned columns = (n + BLOCKS * TILE_N - 1) / (BLOCKS * TILE_N), lane = threadIdx.x % 32;
    const unsigned STEPS = DEPTH / 8;
    Part part;
    Turn<STAGES> turn;
    for (unsigned t = blockIdx.x / BLOCKS; t < rows * columns; t += gridDim.x / BLOCKS) {
        float d[128];
        unsigned of_b[STEPS][4], before = STAGES;
        for (unsigned q = 0; q < k; q += DEPTH, turn.next()) {
            barrier_wait(&s.full[turn.stage], turn.parity);
            unsigned long long of_a = describe(s.a[turn.stage], 16, 8 * ROW);
            const unsigned char* b = s.b[turn.stage][0];
#pragma unroll
            for (unsigned i = 0; i < STEPS; i++) {
                // The product before the last has read its registers, and with it all of the stage before.
                part.read(of_b[i], b, i);
                product_begin();
                multiply_tf32(d, of_b[i], of_a + (i * 32 >> 4), q > 0 || i > 0);
                product_commit();
                product_wait<2>();
                if (i == 1 && before < STAGES && lane < BLOCKS) barrier_arrive(&s.empty[before], lane);
            }
            before = turn.stage;
        }
        product_wait<0>();
        if (lane < BLOCKS) barrier_arrive(&s.empty[before], lane);
        Tile tile = tile_of(t, rows, columns, BAND);
        store(C, m, n, tile.y * TILE_M, (tile.x * BLOCKS + rank) * TILE_N + group * 64, d);
    }
}

extern "C" __global__ __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1) void tf32_wgmma(
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
    cluster_sync();
}

// Copies a matrix of `columns` columns to rows of `stride` floats, 4 at a time.
extern "C" __global__ void pad(const float* from, float* to, unsigned rows, unsigned columns, unsigned stride) {
    size_t all = (size_t)rows * (stride / 4);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all; i += (size_t)gridDim.x * blockDim.x) {
        size_t row = i / (stride / 4);
        unsigned column = i % (stride / 4) * 4;
        const float* f = from + row * columns + column;
        auto at = [&](unsigned c) { return column + c < columns ? f[c] : 0.0f; };
        *(float4*)&to[row * stride + column] = make_float4(at(0), at(1), at(2), at(3));
    }
}
