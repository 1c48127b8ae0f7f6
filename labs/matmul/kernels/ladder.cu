// C = A B in float, the second half of the ladder: how many sums a thread keeps in registers, and
// how it reads what it multiplies. Any m, k, n; float4 is used where every row is aligned to
// 16 bytes (k and n are multiples of 4), single floats elsewhere.
//
//  register_1d      like tiled, but a thread computes 8 elements of a column: each value of B that it
//                   reads from shared memory serves 8 multiply-adds. Tile 64 x 64, depth 8, 512 threads.
//  register_2d      like register_1d, but 8 x 8 elements: 16 reads from shared memory for 64
//                   multiply-adds. Tile 128 x 128, depth 8, 256 threads.
//  vectorized       like register_2d, but float4 everywhere; the tile of A is stored transposed, so
//                   that a thread's 8 values of a column of A are two float4.
//  warp_tile        like vectorized, but each warp has a 64 x 32 part of the tile to itself, and a thread
//                   has four 4 x 4 parts of that: the reads of a warp are adjacent, without bank conflicts,
//                   and mostly broadcasts. (The transposing stores of A still go two by two.) Depth 16.
//  double_buffered  like warp_tile, but two tiles in shared memory: the next one is loaded from
//                   global memory while this one is multiplied; one barrier per tile.
//
// Grid: x counts tiles along n, y tiles along m; one-dimensional blocks.

// Outside the matrices a load gives 0, which adds nothing to any sum.
__device__ float load(const float* M, unsigned rows, unsigned cols, unsigned row, unsigned col) {
    return row < rows && col < cols ? M[(size_t)row * cols + col] : 0.0f;
}

// Four adjacent floats of a row. `wide`: the row's length is a multiple of 4, so that all four or none are inside.
__device__ float4 load4(const float* M, unsigned rows, unsigned cols, unsigned row, unsigned col, bool wide) {
    if (wide) {
        return row < rows && col < cols ? *(const float4*)&M[(size_t)row * cols + col]
                                        : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    return make_float4(load(M, rows, cols, row, col), load(M, rows, cols, row, col + 1),
                       load(M, rows, cols, row, col + 2), load(M, rows, cols, row, col + 3));
}

__device__ void store4(float* M, unsigned rows, unsigned cols, unsigned row, unsigned col, float4 v, bool wide) {
    if (row >= rows || col >= cols) return;
    float* p = &M[(size_t)row * cols + col];
    if (wide) {
        *(float4*)p = v;
    } else {
        p[0] = v.x;
        if (col + 1 < cols) p[1] = v.y;
        if (col + 2 < cols) p[2] = v.z;
        if (col + 3 < cols) p[3] = v.w;
    }
}

extern "C" __global__ __launch_bounds__(512) void register_1d(const float* A, const float* B, float* C, unsigned m,
                                                               unsigned k, unsigned n) {
    __shared__ float a[64][8], b[8][64];
    unsigned t = threadIdx.x, x = t % 64, y = t / 64;  // the thread's column of the tile, and its group of 8 rows
    unsigned row = blockIdx.y * 64, col = blockIdx.x * 64;
    float sum[8] = {};
    for (unsigned tile = 0; tile < (k + 7ull) / 8; tile++) {
        unsigned q = tile * 8;
        a[t / 8][t % 8] = load(A, m, k, row + t / 8, q + t % 8);
        b[t / 64][t % 64] = load(B, k, n, q + t / 64, col + t % 64);
        __syncthreads();
        for (unsigned i = 0; i < 8; i++) {
            float v = b[i][x];
#pragma unroll
            for (unsigned r = 0; r < 8; r++) sum[r] += a[y * 8 + r][i] * v;
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned r = 0; r < 8; r++) {
        unsigned i = row + y * 8 + r;
        if (i < m && col + x < n) C[(size_t)i * n + col + x] = sum[r];
    }
}

extern "C" __global__ __launch_bounds__(256) void register_2d(const float* A, const float* B, float* C, unsigned m,
                                                               unsigned k, unsigned n) {
    __shared__ float a[128][8], b[8][128];
    unsigned t = threadIdx.x, x = t % 16 * 8, y = t / 16 * 8;  // the thread's 8 x 8 part
    unsigned row = blockIdx.y * 128, col = blockIdx.x * 128;
    float sum[8][8] = {};
    for (unsigned tile = 0; tile < (k + 7ull) / 8; tile++) {
        unsigned q = tile * 8;
#pragma unroll
        for (unsigned s = 0; s < 4; s++) {
            a[s * 32 + t / 8][t % 8] = load(A, m, k, row + s * 32 + t / 8, q + t % 8);
            b[s * 2 + t / 128][t % 128] = load(B, k, n, q + s * 2 + t / 128, col + t % 128);
        }
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < 8; i++) {
            float u[8], v[8];
#pragma unroll
            for (unsigned r = 0; r < 8; r++) u[r] = a[y + r][i];
#pragma unroll
            for (unsigned c = 0; c < 8; c++) v[c] = b[i][x + c];
#pragma unroll
            for (unsigned r = 0; r < 8; r++)
#pragma unroll
                for (unsigned c = 0; c < 8; c++) sum[r][c] += u[r] * v[c];
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned r = 0; r < 8; r++)
#pragma unroll
        for (unsigned c = 0; c < 8; c++) {
            unsigned i = row + y + r, j = col + x + c;
            if (i < m && j < n) C[(size_t)i * n + j] = sum[r][c];
        }
}

// sum += (column of A) (row of B): the step of all kernels below.
__device__ void outer(float sum[8][8], float4 u0, float4 u1, float4 v0, float4 v1) {
    float u[8] = {u0.x, u0.y, u0.z, u0.w, u1.x, u1.y, u1.z, u1.w};
    float v[8] = {v0.x, v0.y, v0.z, v0.w, v1.x, v1.y, v1.z, v1.w};
#pragma unroll
    for (unsigned r = 0; r < 8; r++)
#pragma unroll
        for (unsigned c = 0; c < 8; c++) sum[r][c] += u[r] * v[c];
}

extern "C" __global__ __launch_bounds__(256) void vectorized(const float* A, const float* B, float* C, unsigned m,
                                                              unsigned k, unsigned n) {
    // With 4 floats of padding the transposing stores use different banks, and each float4 is aligned.
    __shared__ __align__(16) float a[8][132], b[8][128];
    unsigned t = threadIdx.x, x = t % 16 * 8, y = t / 16 * 8;
    unsigned row = blockIdx.y * 128, col = blockIdx.x * 128;
    bool wide_k = k % 4 == 0, wide_n = n % 4 == 0;
    float sum[8][8] = {};
    for (unsigned tile = 0; tile < (k + 7ull) / 8; tile++) {
        unsigned q = tile * 8;
        unsigned ar = t / 2, ac = t % 2 * 4;
        float4 v = load4(A, m, k, row + ar, q + ac, wide_k);
        a[ac][ar] = v.x;
        a[ac + 1][ar] = v.y;
        a[ac + 2][ar] = v.z;
        a[ac + 3][ar] = v.w;
        *(float4*)&b[t / 32][t % 32 * 4] = load4(B, k, n, q + t / 32, col + t % 32 * 4, wide_n);
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < 8; i++)
            outer(sum, *(float4*)&a[i][y], *(float4*)&a[i][y + 4], *(float4*)&b[i][x], *(float4*)&b[i][x + 4]);
        __syncthreads();
    }
#pragma unroll
    for (unsigned r = 0; r < 8; r++)
#pragma unroll
        for (unsigned h = 0; h < 2; h++)
            store4(C, m, n, row + y + r, col + x + 4 * h,
                   make_float4(sum[r][4 * h], sum[r][4 * h + 1], sum[r][4 * h + 2], sum[r][4 * h + 3]), wide_n);
}

// Where a thread's 8 x 8 sums lie in the block's tile: rows y + r and y + 32 + r, columns x + c and
// x + 16 + c, with r and c below 4. Warps are 2 x 4 in the tile, lanes 8 x 4 in the warp's part.
struct Place {
    unsigned x, y;
};
__device__ Place place() {
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return {warp % 4 * 32 + lane % 4 * 4, warp / 4 * 64 + lane / 4 * 4};
}

__device__ void store_tile(float* C, unsigned m, unsigned n, unsigned row, unsigned col, const float sum[8][8]) {
    Place p = place();
#pragma unroll
    for (unsigned r = 0; r < 8; r++)
#pragma unroll
        for (unsigned h = 0; h < 2; h++)
            store4(C, m, n, row + p.y + r / 4 * 32 + r % 4, col + p.x + 16 * h,
                   make_float4(sum[r][4 * h], sum[r][4 * h + 1], sum[r][4 * h + 2], sum[r][4 * h + 3]), n % 4 == 0);
}

// A tile of depth 16 on its way from global to shared memory: 8 floats of A and 8 of B per thread.
struct Parcel {
    float4 a[2], b[2];
};
__device__ Parcel fetch(const float* A, const float* B, unsigned m, unsigned k, unsigned n, unsigned row, unsigned col,
                        unsigned q) {
    unsigned t = threadIdx.x;
    Parcel p;
#pragma unroll
    for (unsigned s = 0; s < 2; s++) {
        p.a[s] = load4(A, m, k, row + s * 64 + t / 4, q + t % 4 * 4, k % 4 == 0);
        p.b[s] = load4(B, k, n, q + s * 8 + t / 32, col + t % 32 * 4, n % 4 == 0);
    }
    return p;
}
__device__ void put(Parcel p, float a[16][132], float b[16][128]) {
    unsigned t = threadIdx.x;
#pragma unroll
    for (unsigned s = 0; s < 2; s++) {
        unsigned ar = s * 64 + t / 4, ac = t % 4 * 4;
        a[ac][ar] = p.a[s].x;
        a[ac + 1][ar] = p.a[s].y;
        a[ac + 2][ar] = p.a[s].z;
        a[ac + 3][ar] = p.a[s].w;
        *(float4*)&b[s * 8 + t / 32][t % 32 * 4] = p.b[s];
    }
}
__device__ void multiply(float sum[8][8], const float a[16][132], const float b[16][128]) {
    Place p = place();
#pragma unroll
    for (unsigned i = 0; i < 16; i++)
        outer(sum, *(const float4*)&a[i][p.y], *(const float4*)&a[i][p.y + 32], *(const float4*)&b[i][p.x],
              *(const float4*)&b[i][p.x + 16]);
}

extern "C" __global__ __launch_bounds__(256) void warp_tile(const float* A, const float* B, float* C, unsigned m,
                                                             unsigned k, unsigned n) {
    __shared__ __align__(16) float a[16][132], b[16][128];
    unsigned row = blockIdx.y * 128, col = blockIdx.x * 128;
    float sum[8][8] = {};
    for (unsigned tile = 0; tile < (k + 15ull) / 16; tile++) {
        put(fetch(A, B, m, k, n, row, col, tile * 16), a, b);
        __syncthreads();
        multiply(sum, a, b);
        __syncthreads();
    }
    store_tile(C, m, n, row, col, sum);
}

extern "C" __global__ __launch_bounds__(256, 2) void double_buffered(const float* A, const float* B, float* C,
                                                                      unsigned m, unsigned k, unsigned n) {
    __shared__ __align__(16) float a[2][16][132], b[2][16][128];
    unsigned row = blockIdx.y * 128, col = blockIdx.x * 128, tiles = (k + 15ull) / 16;
    float sum[8][8] = {};
    put(fetch(A, B, m, k, n, row, col, 0), a[0], b[0]);
    for (unsigned tile = 0; tile < tiles; tile++) {
        // After this barrier all threads have written this tile, and none reads the tile that is overwritten below.
        __syncthreads();
        Parcel next;
        if (tile + 1 < tiles) next = fetch(A, B, m, k, n, row, col, (tile + 1) * 16);
        multiply(sum, a[tile % 2], b[tile % 2]);
        if (tile + 1 < tiles) put(next, a[(tile + 1) % 2], b[(tile + 1) % 2]);
    }
    store_tile(C, m, n, row, col, sum);
}
