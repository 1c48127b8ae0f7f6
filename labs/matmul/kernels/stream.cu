// C = A B in float, without tensor cores: the last rungs. Compute capability 8.0 and later; any m, k, n.
//
//  four_deep   like async_copy (async.cu), but A is not turned on its way to shared memory: 16 bytes of a row of A are four
//         steps along the depth. So A is copied 16 bytes at a time, as B is, and a thread reads it 16 bytes at a time.
//         A tile of 256 x 128, 256 threads with 16 x 8 elements each: 24 reads of 16 bytes for 512 multiply-adds.
//         The lanes lie so that every read is two wavefronts: those that read the same of A differ in the last bit
//         of their numbers, those that read the same of B in the bit before it. STAGES tiles are in shared memory or
//         on their way.
//  stream_k_small  like four_deep, but for small C: tiles of 64 x 64 with 8 x 8 elements per thread, and each of the
//         blocks, as many as the device holds, gets the same number of steps of depth 16, wherever tiles end. No block
//         waits for a last wave. The parts of a tile that was cut are added to C by atomics (Osama, Merrill, Cecka,
//         Garland and Owens, "Stream-K", 2023).
//
// Grid: four_deep: x counts tiles along n, y along m. stream_k_small: x counts shares of the work.
// Dynamic shared memory: STAGES stages of a tile's depth-16 parts of A and B.
// target: compute_80

#define DEPTH 16
#define STAGES 4

extern __shared__ __align__(16) unsigned char memory[];

// Copies four adjacent floats of a row to shared memory. Elements that are not inside become 0: of `inside` columns from
// here on, none is if it is 0 or less.
__device__ void copy_row4(float* to, const float* from, const float* valid, bool aligned, int inside) {
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    if (aligned) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(s), "l"(inside > 0 ? from : valid),
                     "r"(inside > 0 ? 16 : 0)
                     : "memory");
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(s + 4 * i),
                         "l"(i < inside ? from + i : valid), "r"(i < inside ? 4 : 0)
                         : "memory");
    }
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int STILL>
__device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(STILL) : "memory"); }

// Since compute capability 9.0, one atomic adds four floats.
#if __CUDA_ARCH__ >= 900
#define WIDE_ATOMICS true
__device__ void add4(float4* to, float4 v) { atomicAdd(to, v); }
#else
#define WIDE_ATOMICS false
__device__ void add4(float4* to, float4 v) {}
#endif

// A block of WY x WX warps. A thread has ROWS x 8 elements: every fourth row of its warp's 4 ROWS rows, and two groups of
// four columns of its warp's 64.
template <unsigned ROWS, unsigned WY, unsigned WX>
struct Block {
    enum : unsigned { M = 4 * ROWS * WY, N = 64 * WX, THREADS = 32 * WY * WX };
    struct Stage {
        float a[M][DEPTH], b[DEPTH][N];
    };

    const float *A, *B;
    unsigned m, k, n;
    Stage* stage;
    unsigned y, x;  // the thread's first row and column in the tile
    float sum[ROWS][8];

    __device__ Block(const float* A, const float* B, unsigned m, unsigned k, unsigned n)
        : A(A), B(B), m(m), k(k), n(n), stage((Stage*)memory) {
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        y = warp / WX * 4 * ROWS + (lane / 2 % 2 + lane / 16 * 2);
        x = warp % WX * 64 + (lane % 2 + lane / 4 % 4 * 2) * 4;
    }

    // Starts the copy of the step that begins at depth q.
    __device__ void start(Stage& to, unsigned row, unsigned column, unsigned q) {
        unsigned t = threadIdx.x, ac = t % 4 * 4, bc = t % (N / 4) * 4;
        const float* a = A + (size_t)(row + t / 4) * k + q + ac;
#pragma unroll
        for (unsigned i = 0; i < M * 4 / THREADS; i++) {
            unsigned r = t / 4 + i * (THREADS / 4);
            int inside = row + r < m ? (int)(k - q) - (int)ac : 0;
            copy_row4(&to.a[r][ac], a + (size_t)(i * (THREADS / 4)) * k, A, k % 4 == 0, inside);
        }
        const float* b = B + (size_t)(q + t / (N / 4)) * n + column + bc;
#pragma unroll
        for (unsigned i = 0; i < DEPTH * N / 4 / THREADS; i++) {
            unsigned r = t / (N / 4) + i * (4 * THREADS / N);
            int inside = q + r < k ? (int)(n - column) - (int)bc : 0;
            copy_row4(&to.b[r][bc], b + (size_t)(i * (4 * THREADS / N)) * n, B, n % 4 == 0, inside);
        }
    }

    // Reads four rows of B, for four steps along the depth.
    __device__ void read(float (&b)[4][8], const Stage& s, unsigned quarter) const {
#pragma unroll
        for (unsigned q = 0; q < 4; q++)
#pragma unroll
            for (unsigned c = 0; c < 8; c += 4) *(float4*)&b[q][c] = *(const float4*)&s.b[quarter * 4 + q][x + c * 8];
    }

    // Four steps: a row of A after the other, each with all of b.
    __device__ void multiply(const Stage& s, unsigned quarter, const float (&b)[4][8]) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            float4 u = *(const float4*)&s.a[y + r * 4][quarter * 4];
            float a[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
            for (unsigned q = 0; q < 4; q++)
#pragma unroll
                for (unsigned c = 0; c < 8; c++) sum[r][c] += a[q] * b[q][c];
        }
    }

    // The sums of a tile over the steps `from` to `to`, the last one left out.
    __device__ void add_up(unsigned row, unsigned column, unsigned from, unsigned to) {
#pragma unroll
        for (unsigned i = 0; i < ROWS * 8; i++) sum[i / 8][i % 8] = 0.0f;
        for (unsigned i = 0; i < STAGES - 1; i++) {
            if (from + i < to) start(stage[i], row, column, (from + i) * DEPTH);
            commit();  // empty groups keep the count right
        }
        wait<STAGES - 2>();
        __syncthreads();
        __align__(16) float b[2][4][8];
        read(b[0], stage[0], 0);
        unsigned now = 0, free = STAGES - 1;  // the stage that is multiplied, and the one to be filled
        for (unsigned step = from; step < to; step++) {
            unsigned after = now + 1 < STAGES ? now + 1 : 0;
#pragma unroll
            for (unsigned quarter = 0; quarter < 4; quarter++) {
                if (quarter == 3) {
                    // After this barrier all threads see the next stage, and all have read the stage before this one.
                    wait<STAGES - 3>();
                    __syncthreads();
                    if (step + STAGES - 1 < to) start(stage[free], row, column, (step + STAGES - 1) * DEPTH);
                    commit();
                }
                // What the next quarter needs of B comes while this one is multiplied.
                if (quarter < 3)
                    read(b[(quarter + 1) % 2], stage[now], quarter + 1);
                else if (step + 1 < to)
                    read(b[0], stage[after], 0);
                multiply(stage[now], quarter, b[quarter % 2]);
            }
            free = now;
            now = after;
        }
        // Before another tile comes, all have read this one.
        wait<0>();
        __syncthreads();
    }

    // Stores the sums, or adds them to C.
    __device__ void put(float* C, unsigned row, unsigned column, bool adds) {
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++) {
            unsigned i = row + y + r * 4;
            if (i >= m) continue;
#pragma unroll
            for (unsigned h = 0; h < 2; h++) {
                unsigned j = column + x + h * 32;
                float* to = C + (size_t)i * n + j;
                const float* v = &sum[r][h * 4];
                if (n % 4 == 0 && (!adds || WIDE_ATOMICS)) {
                    float4 all = make_float4(v[0], v[1], v[2], v[3]);
                    if (j < n && adds)
                        add4((float4*)to, all);
                    else if (j < n)
                        *(float4*)to = all;
                    continue;
                }
#pragma unroll
                for (unsigned c = 0; c < 4; c++) {
                    if (j + c >= n) continue;
                    if (adds)
                        atomicAdd(to + c, v[c]);
                    else
                        to[c] = v[c];
                }
            }
        }
    }
};

extern "C" __global__ __launch_bounds__(256, 1) void four_deep(const float* A, const float* B, float* C, unsigned m,
                                                               unsigned k, unsigned n) {
    Block<16, 4, 2> block(A, B, m, k, n);
    unsigned row = blockIdx.y * block.M, column = blockIdx.x * block.N;
    block.add_up(row, column, 0, (k + DEPTH - 1) / DEPTH);
    block.put(C, row, column, false);
}

// Whole waves of tiles go to the blocks one by one. The steps of what is left, with one wave more so that the shares are
// not too small, are cut into as many equal shares as there are blocks.
extern "C" __global__ __launch_bounds__(64, 6) void stream_k_small(const float* A, const float* B, float* C, unsigned m,
                                                                   unsigned k, unsigned n) {
    Block<8, 2, 1> block(A, B, m, k, n);
    unsigned across = (n + block.N - 1) / block.N, tiles = across * ((m + block.M - 1) / block.M);
    unsigned steps = (k + DEPTH - 1) / DEPTH, waves = tiles / gridDim.x;
    unsigned whole = tiles % gridDim.x == 0 ? tiles : waves > 1 ? (waves - 1) * gridDim.x : 0;
    unsigned long long left = (unsigned long long)(tiles - whole) * steps;
    unsigned long long at = left * blockIdx.x / gridDim.x, end = left * (blockIdx.x + 1) / gridDim.x;
    for (unsigned tile = blockIdx.x; tile < whole || at < end;) {
        bool is_whole = tile < whole;
        unsigned number = is_whole ? tile : whole + (unsigned)(at / steps);
        unsigned from = is_whole ? 0 : (unsigned)(at % steps);
        unsigned to = is_whole ? steps : (unsigned)min((unsigned long long)steps, from + (end - at));
        unsigned row = number / across * block.M, column = number % across * block.N;
        block.add_up(row, column, from, to);
        block.put(C, row, column, to - from < steps);
        if (is_whole)
            tile += gridDim.x;
        else
            at += to - from;
    }
}
