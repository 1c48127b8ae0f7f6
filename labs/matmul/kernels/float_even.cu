// C = A B in float, without tensor cores, for large C on Hopper (compute capability 9.0).
//
//  float_even  like float_medium_2 (float_hopper.cu), but without clusters: tiles of 128 x 128, 128 threads with 16 x 8
//         elements each, two blocks on a multiprocessor. Multiply-adds come in another order, and no wave is left that
//         does not fill the device.
//         The order: what is read for four steps of the depth is multiplied step by step, all 16 rows of one step,
//         then those of the next, up one time and down the other, and each row from left to right or from right to
//         left in turn. A multiply-add reads three registers. Those with even numbers lie in one bank and those with
//         odd numbers in another, and each bank gives one in a cycle, so that a third one costs a cycle. It is not
//         read if the multiply-add before had the same register in the same place: here the element of A that a row
//         has in common, or the element of B where one row follows another. The compiler keeps to this order only in
//         part: of 512 multiply-adds, 81 read three registers, and 115 in the order of float_hopper.cu. It keeps to
//         none in a long stretch without a jump. So the loop is 9 KB of code, where a whole step would be 70, and warps
//         wait less for instructions (see NOTES.md).
//         Nothing is read ahead: while one warp of a scheduler waits for shared memory, the other one multiplies.
//         The last wave: the steps of the last tiles are cut into equal shares, as in stream_k_small (stream.cu), one for
//         each block that the device holds. The parts of a tile that was cut meet in global memory, where the block
//         that comes last adds them up, always in the same order: the result does not change from run to run. With
//         70 KB of code, such shares made an H100 7 % slower: blocks whose tiles begin at different times are at
//         different places in the code, and one does not find there what another has fetched.
//
// Rows of A and B begin at multiples of 16 bytes: pads.cu copies matrices for which that is not so.
// Grid: whole tiles, in bands of BAND rows, and then the shares of the last ones. Dynamic shared memory:
// sizeof(Shared).
// target: compute_90a
#include "hopper.cuh"

const unsigned DEPTH = 32, BAND = 8;
// A tile, and the steps of it in shared memory. A warp has a quarter of the tile, a thread every fourth row of that,
// and two groups of four columns.
const unsigned M = 128, N = 128, STAGES = 3, THREADS = 128, ROWS = 16, COLUMNS = 8;

struct Stage {
    float a[M][DEPTH], b[DEPTH][N];
};
struct Shared {
    Stage stage[STAGES];
    unsigned long long full[STAGES];
};

extern __shared__ __align__(1024) unsigned char memory[];

// What lies `beyond` a place in shared memory, which the compiler puts into the instruction.
__device__ float4 read(unsigned at, unsigned beyond) { return *(const float4*)(memory + at + beyond); }

// Four steps along the depth: b has four rows of B, a four columns of A.
__device__ void multiply(float (&sum)[ROWS][COLUMNS], const float (&a)[ROWS][4], const float (&b)[4][COLUMNS]) {
#pragma unroll
    for (unsigned q = 0; q < 4; q++)
#pragma unroll
        for (unsigned i = 0; i < ROWS; i++)
#pragma unroll
            for (unsigned j = 0; j < COLUMNS; j++) {
                unsigned r = q % 2 ? ROWS - 1 - i : i, c = i % 2 ? COLUMNS - 1 - j : j;
                sum[r][c] += a[r][q] * b[q][c];
            }
}

// Stores four neighbours in a row of C.
__device__ void put(float* C, unsigned m, unsigned n, unsigned i, unsigned j, float4 v) {
    if (i >= m) return;
    float *to = C + (size_t)i * n + j, all[4] = {v.x, v.y, v.z, v.w};
    if (n % 4 == 0) {
        if (j < n) *(float4*)to = v;
        return;
    }
#pragma unroll
    for (unsigned c = 0; c < 4; c++)
        if (j + c < n) to[c] = all[c];
}

// The last tiles: their steps, one tile's behind the other's, are cut into equal shares.
struct Shares {
    unsigned shares;
    unsigned long long steps;

    // Where a share begins. None is empty.
    __device__ unsigned begin(unsigned share) const { return steps * share / shares; }
    // The share that has a step.
    __device__ unsigned of(unsigned step) const { return ((step + 1ull) * shares - 1) / steps; }
};

// Where the parts of cut tiles meet.
struct Meeting {
    float4* sums;    // of each share two parts of a tile: one that begins with the tile, one that does not
    unsigned* came;  // for each cut tile, how many parts have come: 0 before and after

    __device__ float4* place(unsigned share, bool begins_tile) const {
        return sums + (size_t)(share * 2 + begins_tile) * (ROWS * COLUMNS / 4) * THREADS + threadIdx.x;
    }
    // Counts a part that has been left. What the block has left is seen before, and what others have left is read
    // afterwards. True for the last of `parts` parts.
    __device__ bool is_last(unsigned tile, unsigned parts) const {
        __syncthreads();
        unsigned before = 0;
        if (threadIdx.x == 0)
            asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                         : "=r"(before)
                         : "l"(came + tile), "r"(parts - 1)
                         : "memory");
        return __syncthreads_or(threadIdx.x == 0 && before == parts - 1);
    }
};

// A block multiplies a tile, or behind the whole tiles, its share of the steps of the last ones.
__device__ void product(const Map* of_a, const Map* of_b, float* C, unsigned m, unsigned k, unsigned n, unsigned shares,
                        Meeting meeting) {
    Shared& s = *(Shared*)memory;
    // The thread's first row and column in a tile. The lanes lie as in float_medium_2.
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, ly = lane / 2 % 2 + lane / 16 * 2;
    unsigned y = warp / 2 * 64 + ly, x = warp % 2 * 64 + (lane % 2 + lane / 4 % 4 * 2) * 4;
    // Where that row and column begin in a stage, in bytes. In row i the swizzle puts the 16 bytes of number j in place
    // j ^ i % 8; here i % 8 is ly, or ly + 4 in every second row.
    unsigned of_row = y * DEPTH * 4 + ly * 16, of_column = sizeof(Stage::a) + x * 4;

    unsigned rows = (m + M - 1) / M, columns = (n + N - 1) / N, steps = (k + DEPTH - 1) / DEPTH;
    unsigned whole = gridDim.x - shares, number = blockIdx.x, share = 0, at = 0, end = steps;
    Shares all{shares, (unsigned long long)(rows * columns - whole) * steps};
    if (blockIdx.x >= whole) {
        number = whole, share = blockIdx.x - whole;
        at = all.begin(share), end = all.begin(share + 1);
    }
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < STAGES; i++) barrier_init(&s.full[i], 1);
        fence_barriers();
    }
    Turn<STAGES> now;
    // A turn for each tile of which the block has steps: `from` to `to`, the last one left out.
#pragma unroll 1
    while (at < end) {
        unsigned cut = at / steps, from = at % steps, to = min(steps, from + end - at);
        at += to - from;
        Tile tile = tile_of(number + cut, rows, columns, BAND);
        unsigned row = tile.y * M, column = tile.x * N;
        // Asks for a step. One thread does so.
        auto bring = [&](unsigned stage, unsigned step) {
            barrier_expect(&s.full[stage], sizeof(Stage));
            copy_box(s.stage[stage].a, of_a, step * DEPTH, row, &s.full[stage]);
            copy_box(s.stage[stage].b, of_b, column, step * DEPTH, &s.full[stage]);
        };
        // The barriers are made, and all have read what was brought for the tile before.
        __syncthreads();
        if (threadIdx.x == 0)
            for (unsigned i = 0; i < STAGES - 1 && from + i < to; i++) bring((now.stage + i) % STAGES, from + i);
        float sum[ROWS][COLUMNS] = {};
#pragma unroll 1
        for (unsigned step = from; step < to; step++, now.next()) {
            barrier_wait(&s.full[now.stage], now.parity);
            // All have read the stage of the step before: it is filled again.
            __syncthreads();
            if (threadIdx.x == 0 && step + STAGES - 1 < to)
                bring(now.stage == 0 ? STAGES - 1 : now.stage - 1, step + STAGES - 1);
            unsigned here = now.stage * sizeof(Stage), from_a = here + of_row, from_b = here + of_column;
#pragma unroll 1
            for (unsigned four = 0; four < DEPTH * 4; four += 16, from_b += 4 * N * 4) {
                unsigned even = from_a ^ four, odd = even ^ 64;
                __align__(16) float a[ROWS][4], b[4][COLUMNS];
#pragma unroll
                for (unsigned q = 0; q < 4; q++)
#pragma unroll
                    for (unsigned c = 0; c < COLUMNS; c += 4) *(float4*)&b[q][c] = read(from_b, (q * N + c * 8) * 4);
#pragma unroll
                for (unsigned r = 0; r < ROWS; r++) *(float4*)a[r] = read(r % 2 ? odd : even, r * 4 * DEPTH * 4);
                multiply(sum, a, b);
            }
        }
        // 1, because m is below 2^31. The compiler does not know that. Four neighbours that are stored at once lie in
        // four neighbouring registers, as those do that are read at once. Without a product in between, a sum would lie
        // in the same bank as the element of B that it needs.
        float one = __uint_as_float(0x3f800000 | m >> 31);
        auto four_of = [&](unsigned r, unsigned c) {
            return make_float4(one * sum[r][c], one * sum[r][c + 1], one * sum[r][c + 2], one * sum[r][c + 3]);
        };
        if (to - from < steps) {
            unsigned first = all.of(cut * steps), last = all.of(cut * steps + steps - 1);
            float4* mine = meeting.place(share, share == first);
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++)
#pragma unroll
                for (unsigned c = 0; c < COLUMNS; c += 4) mine[(r * 2 + c / 4) * THREADS] = four_of(r, c);
            if (!meeting.is_last(cut, last - first + 1)) continue;
            // The last one to come adds up all parts, always in the same order.
#pragma unroll 4
            for (unsigned i = 0; i < ROWS * COLUMNS / 4; i++) {
                float4 v = {};
                for (unsigned part = first; part <= last; part++) {
                    float4 u = meeting.place(part, part == first)[i * THREADS];
                    v = make_float4(v.x + u.x, v.y + u.y, v.z + u.z, v.w + u.w);
                }
                put(C, m, n, row + y + i / 2 * 4, column + x + i % 2 * 32, v);
            }
            continue;
        }
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++)
#pragma unroll
            for (unsigned c = 0; c < COLUMNS; c += 4) put(C, m, n, row + y + r * 4, column + x + c * 8, four_of(r, c));
    }
}

extern "C" __global__ __launch_bounds__(THREADS, 2) void float_even(const __grid_constant__ Map of_a,
                                                                    const __grid_constant__ Map of_b, float* C,
                                                                    unsigned m, unsigned k, unsigned n, unsigned shares,
                                                                    float4* sums, unsigned* came) {
    product(&of_a, &of_b, C, m, k, n, shares, {sums, came});
}
