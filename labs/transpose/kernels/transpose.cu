// out = the transpose of in: in has m rows of n floats, out has n rows of m floats, both stored row by row.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//  naive_read    a thread an element; a warp reads 32 floats side by side, and writes one float into each of 32 rows.
//  naive_write   like naive_read, but the warp reads from 32 rows and writes side by side.
//  tiled         a block takes 32 x 32 elements through shared memory: side by side on both ways, but the 32 elements
//                of a column of the tile lie in one bank.
//  padded        like tiled, but a row of the tile has 33 words: a column lies in all banks.
//  swizzled      like tiled, but column x of row y lies at x ^ y: all banks, and no word wasted.
//  vectorized    like swizzled, but 64 x 64 elements a block and four floats at a time, 64 bytes in flight per thread;
//                rows that are not aligned to 16 bytes are read, or written, one float at a time. In tiles that are
//                whole no bound is tested. The blocks go along the rows of in.
//  grouped_256   like vectorized, but the blocks go down a group of rows of tiles before they go on to the right.
//  grouped_512   like grouped_256, but 512 threads per block, 32 bytes in flight per thread.
//
// The kernels from tiled to swizzled have blocks of 32 x 8 threads, so that a thread takes four elements.

#include "groups.cuh"

extern "C" __global__ void naive_read(const float* in, float* out, unsigned m, unsigned n) {
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    // [part naive-read] Move the element in row y and column x of in. Some threads lie outside.
    if (x < n && y < m) out[(size_t)x * m + y] = in[(size_t)y * n + x];
    // [end]
}

// Here x counts the columns of out, and y its rows.
extern "C" __global__ void naive_write(const float* in, float* out, unsigned m, unsigned n) {
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    // [part naive-write] Move the element that goes to row y and column x of out. Some threads lie outside.
    if (x < m && y < n) out[(size_t)y * m + x] = in[(size_t)x * n + y];
    // [end]
}

extern "C" __global__ void tiled(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ float tile[32][32];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    // [part tiled] Let the block load the 32 x 32 elements from row `top` and column `left` on into the tile: a warp
    // takes a row at a time. Then store them as rows of out. m and n need not be multiples of 32.
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[i][lane] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = tile[lane][i];
    // [end]
}

extern "C" __global__ void padded(const float* in, float* out, unsigned m, unsigned n) {
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    // [part padded] Do as in part tiled, but choose a shape of the tile in which the elements of a column lie in 32
    // different banks.
    __shared__ float tile[32][33];
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[i][lane] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = tile[lane][i];
    // [end]
}

extern "C" __global__ void swizzled(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ float tile[32][32];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32, lane = threadIdx.x;
    // [part swizzled] Do as in part tiled, but keep column x of row y at another place of that row, so that the
    // elements of a column lie in 32 different banks. The tile has no words to spare.
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[i][lane ^ i] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = tile[lane][lane ^ i];
    // [end]
}

// [part vectorized] Say in a function of your own where column x of row y lies in a tile of rows of W words.
template <unsigned W>
__device__ inline unsigned place(unsigned y, unsigned x) {
    return W * y + (x ^ (y % 32));
}
// [end]

// Takes a tile of H rows and W columns, multiples of 32, by WARPS warps in a one-dimensional block. `rows` x `columns`
// of it are inside the matrix: all of them if WHOLE, and then `inside` is true at compile time. A warp takes 4 rows of
// 8 float4, or one row of 32 floats: either way its 32 words of shared memory lie in 32 banks.
template <unsigned WARPS, unsigned H, unsigned W, bool WHOLE>
__device__ inline void transpose_tile(float* tile, const float* from, float* to, unsigned m, unsigned n, unsigned rows,
                                      unsigned columns) {
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    constexpr unsigned FOURS = H * W / 128 / WARPS, FLOATS = 4 * FOURS;
    auto inside = [=](unsigned y, unsigned x) { return WHOLE || (y < rows && x < columns); };
    // [part vectorized] Load `rows` rows of `columns` elements at `from`, where rows are n floats apart: FOURS float4 a
    // thread if n is a multiple of 4, else FLOATS floats, and all of them before the first is stored to the tile. Then
    // store the transpose at `to`, where rows are m floats apart: as float4 if m is a multiple of 4. No lanes of a warp
    // meet in a bank. `inside(y, x)` says whether row y and column x are inside the matrix.
    //
    // From one load to the next a pointer goes STEP rows down, and a whole tile tests nothing. When each load had a
    // separate address and test, that took registers (48 a thread in grouped_256, not 32) and time: on an H200
    // at 16000 x 15999, grouped_256 took 0.722 ms instead of 0.551, and grouped_512 0.609 instead of 0.537.
    if (n % 4 == 0) {
        constexpr unsigned STEP = WARPS / (W / 32) * 4;
        unsigned y = warp / (W / 32) * 4 + lane / 8, x = warp % (W / 32) * 32 + lane % 8 * 4;
        const float* p = from + (size_t)y * n + x;
        float4 v[FOURS];
#pragma unroll
        for (unsigned k = 0; k < FOURS; k++, p += (size_t)STEP * n)
            if (inside(y + STEP * k, x)) v[k] = *(const float4*)p;
#pragma unroll
        for (unsigned k = 0; k < FOURS; k++) {
            if (!inside(y + STEP * k, x)) continue;
            tile[place<W>(y + STEP * k, x)] = v[k].x;
            tile[place<W>(y + STEP * k, x + 1)] = v[k].y;
            tile[place<W>(y + STEP * k, x + 2)] = v[k].z;
            tile[place<W>(y + STEP * k, x + 3)] = v[k].w;
        }
    } else {
        constexpr unsigned STEP = WARPS / (W / 32);
        unsigned y = warp / (W / 32), x = warp % (W / 32) * 32 + lane;
        const float* p = from + (size_t)y * n + x;
        float v[FLOATS];
#pragma unroll
        for (unsigned k = 0; k < FLOATS; k++, p += (size_t)STEP * n)
            if (inside(y + STEP * k, x)) v[k] = *p;
#pragma unroll
        for (unsigned k = 0; k < FLOATS; k++)
            if (inside(y + STEP * k, x)) tile[place<W>(y + STEP * k, x)] = v[k];
    }
    __syncthreads();
    if (m % 4 == 0) {
        constexpr unsigned STEP = WARPS / (H / 32) * 4;
        unsigned x = warp / (H / 32) * 4 + lane / 8, y = warp % (H / 32) * 32 + lane % 8 * 4;
        float* p = to + (size_t)x * m + y;
#pragma unroll
        for (unsigned k = 0; k < FOURS; k++, x += STEP, p += (size_t)STEP * m)
            if (inside(y, x))
                *(float4*)p = make_float4(tile[place<W>(y, x)], tile[place<W>(y + 1, x)], tile[place<W>(y + 2, x)],
                                          tile[place<W>(y + 3, x)]);
    } else {
        constexpr unsigned STEP = WARPS / (H / 32);
        unsigned x = warp / (H / 32), y = warp % (H / 32) * 32 + lane;
        float* p = to + (size_t)x * m + y;
#pragma unroll
        for (unsigned k = 0; k < FLOATS; k++, x += STEP, p += (size_t)STEP * m)
            if (inside(y, x)) *p = tile[place<W>(y, x)];
    }
    // [end]
}

// Takes the tile of H rows and W columns in row `j` and column `i` of tiles.
template <unsigned WARPS, unsigned H = 64, unsigned W = 64>
__device__ inline void transpose(float* tile, const float* __restrict__ in, float* __restrict__ out, unsigned m, unsigned n,
                                 unsigned j, unsigned i) {
    unsigned left = W * i, top = H * j;
    unsigned rows = m - top < H ? m - top : H, columns = n - left < W ? n - left : W;
    const float* from = in + (size_t)top * n + left;
    float* to = out + (size_t)left * m + top;
    if (rows == H && columns == W)
        transpose_tile<WARPS, H, W, true>(tile, from, to, m, n, rows, columns);
    else
        transpose_tile<WARPS, H, W, false>(tile, from, to, m, n, rows, columns);
}

extern "C" __global__ void __launch_bounds__(256) vectorized(const float* in, float* out, unsigned m, unsigned n) {
    __shared__ float tile[64 * 64];
    unsigned across = (n + 63) / 64;
    transpose<8>(tile, in, out, m, n, blockIdx.x / across, blockIdx.x % across);
}

extern "C" __global__ void __launch_bounds__(256)
    grouped_256(const float* in, float* out, unsigned m, unsigned n, unsigned group) {
    __shared__ float tile[64 * 64];
    TileIndex at = grouped(m, n, group);
    transpose<8>(tile, in, out, m, n, at.j, at.i);
}

extern "C" __global__ void __launch_bounds__(512)
    grouped_512(const float* in, float* out, unsigned m, unsigned n, unsigned group) {
    __shared__ float tile[64 * 64];
    TileIndex at = grouped(m, n, group);
    transpose<16>(tile, in, out, m, n, at.j, at.i);
}
