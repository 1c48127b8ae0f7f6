// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right naive-read: early return
    if (x >= n || y >= m) return;
    out[(size_t)x * m + y] = in[(size_t)y * n + x];

// == right naive-read: restrict pointers and __ldg
    const float* __restrict__ from = in + (size_t)y * n;
    float* __restrict__ to = out + (size_t)x * m;
    if (y < m && x < n) to[y] = __ldg(from + x);

// == right naive-read: int indices
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row < (int)m && col < (int)n) out[col * m + row] = in[row * n + col];

// == right naive-write: element in a register
    float v = 0.0f;
    if (x < m && y < n) v = in[y + (size_t)n * x];
    if (x < m && y < n) out[x + (size_t)m * y] = v;

// == right naive-write: grid-stride in two dimensions
    for (unsigned row = y; row < n; row += gridDim.y * 8)
        for (unsigned col = x; col < m; col += gridDim.x * 32) out[(size_t)row * m + col] = in[(size_t)col * n + row];

// == right tiled: as NVIDIA's example has it
    unsigned x = left + threadIdx.x, y = top + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 32; j += 8)
        if (x < n && y + j < m) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 32; j += 8)
        if (x < m && y + j < n) out[(size_t)(y + j) * m + x] = tile[threadIdx.x][threadIdx.y + j];

// == right tiled: exchanged on the way in
    for (unsigned i = threadIdx.y; i < 32; i += blockDim.y)
        if (top + i < m && left + lane < n) tile[lane][i] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += blockDim.y)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = tile[i][lane];

// == right tiled: shuffles, and no shared memory
// The first warp of a block turns the whole tile in registers: in round d, lanes d apart exchange the half of their
// words in which the other one is right.
__device__ void turn_by_shuffles(const float* in, float* out, unsigned m, unsigned n, unsigned top, unsigned left) {
    unsigned lane = threadIdx.x;
    if (threadIdx.y > 0) return;
    float v[32];
#pragma unroll
    for (unsigned i = 0; i < 32; i++) v[i] = top + i < m && left + lane < n ? in[(size_t)(top + i) * n + left + lane] : 0;
#pragma unroll
    for (unsigned d = 16; d > 0; d /= 2) {
#pragma unroll
        for (unsigned i = 0; i < 32; i++) {
            if (i & d) continue;
            bool is_upper = lane & d;
            float other = __shfl_xor_sync(0xffffffffu, is_upper ? v[i] : v[i + d], d);
            if (is_upper) v[i] = other; else v[i + d] = other;
        }
    }
#pragma unroll
    for (unsigned i = 0; i < 32; i++)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = v[i];
}
// [part tiled]
    turn_by_shuffles(in, out, m, n, top, left);
// [end]

// == right padded: one row of words, 33 apart
    __shared__ float words[32 * 33];
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) words[i * 33 + lane] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = words[lane * 33 + i];

// == right padded: rows of 35 words, and cooperative groups
#include <cooperative_groups.h>
// [part padded]
    __shared__ float tile[32][35];
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[i][lane] = in[(size_t)(top + i) * n + left + lane];
    cooperative_groups::this_thread_block().sync();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = tile[lane][i];
// [end]

// == right swizzled: turned by the row's number
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) tile[i][(lane + i) % 32] = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = tile[lane][(lane + i) & 31];

// == right swizzled: place as a lambda
    auto at = [&](unsigned y, unsigned x) -> float& { return tile[y][y ^ x]; };
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) at(i, lane) = in[(size_t)(top + i) * n + left + lane];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = at(lane, i);

// == wrong naive-read: row of out is n long
- (size_t)x * m + y
+ (size_t)x * n + y

// == wrong naive-read: copied, and not turned
- out[(size_t)x * m + y]
+ out[(size_t)y * n + x]

// == wrong naive-read: sides are exchanged in the question
- x < n && y < m
+ x < m && y < n

// == wrong naive-read: no question about the sides
- if (x < n && y < m)

// == wrong naive-read: one side alone is asked about
- x < n && y < m
+ x < n

// == wrong naive-read: last row is left out
- y < m
+ y + 1 < m

// == wrong naive-read: reads from 32 rows, as part naive-write
    unsigned col = blockIdx.y * 8 + threadIdx.y, row = blockIdx.x * 32 + threadIdx.x;
    for (; row < m; row += gridDim.x * 32)
        for (unsigned c = col; c < n; c += gridDim.y * 8) out[(size_t)c * m + row] = in[(size_t)row * n + c];

// == wrong naive-read: one thread does everything
    if (x == 0 && y == 0)
        for (unsigned i = 0; i < m; i++)
            for (unsigned j = 0; j < n; j++) out[(size_t)j * m + i] = in[(size_t)i * n + j];

// == wrong naive-write: row of in is m long
- (size_t)x * n + y
+ (size_t)x * m + y

// == wrong naive-write: sides are exchanged in the question
- x < m && y < n
+ x < n && y < m

// == wrong naive-write: no question about the sides
- if (x < m && y < n)

// == wrong tiled: no barrier
- __syncthreads();

// == wrong tiled: tile is not turned
- tile[lane][i]
+ tile[i][lane]

// == wrong tiled: tile keeps its place
- left + i < n && top + lane < m
+ top + i < n && left + lane < m
- (size_t)(left + i) * m + top + lane
+ (size_t)(top + i) * m + left + lane

// == wrong tiled: one row a warp
- i < 32; i += 8
+ i < 8; i += 8

// == wrong tiled: sides of the way in are asked about on the way out
- left + i < n && top + lane < m
+ left + lane < n && top + i < m

// == wrong tiled: barrier for threads inside alone
- __syncthreads();
+ if (left + lane < n) __syncthreads();

// == wrong tiled: warp's barrier
- __syncthreads();
+ __syncwarp();

// == wrong tiled: row of out is n long
- (size_t)(left + i) * m
+ (size_t)(left + i) * n

// == wrong tiled: no tile, as in part naive-read
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) out[(size_t)(left + lane) * m + top + i] = in[(size_t)(top + i) * n + left + lane];

// == wrong tiled: no tile, as in part naive-write
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < n && top + lane < m) out[(size_t)(left + i) * m + top + lane] = in[(size_t)(top + lane) * n + left + i];

// == wrong padded: rows of 32 words, as in part tiled
- tile[32][33]
+ tile[32][32]

// == wrong padded: rows of 34 words
- tile[32][33]
+ tile[32][34]

// == wrong padded: column is padded, and no row
- tile[32][33]
+ tile[33][32]

// == wrong padded: rows of 31 words
- tile[32][33]
+ tile[32][31]

// == wrong padded: no barrier
- __syncthreads();

// == wrong padded: no tile, as in part naive-read
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < m && left + lane < n) out[(size_t)(left + lane) * m + top + i] = in[(size_t)(top + i) * n + left + lane];

// == wrong swizzled: not swizzled, as in part tiled
- lane ^ i
+ lane
- tile[lane][lane]
+ tile[lane][i]

// == wrong swizzled: swizzled on the way in alone
- tile[lane][lane ^ i]
+ tile[lane][i]

// == wrong swizzled: place of all rows is the same
- lane ^ i
+ lane ^ 1
- tile[lane][lane ^ 1]
+ tile[lane][i ^ 1]

// == wrong swizzled: turned by eight places a row
- tile[i][lane ^ i]
+ tile[i][(lane + 8 * i) % 32]
- tile[lane][lane ^ i]
+ tile[lane][(i + 8 * lane) % 32]

// == wrong swizzled: or in place of exclusive or
- lane ^ i
+ lane | i

// == wrong swizzled: padded
- tile[i][lane ^ i]
+ padded[i][lane]
- tile[lane][lane ^ i]
+ padded[lane][i]
- for (unsigned i = threadIdx.y; i < 32; i += 8)
- if (top
+ __shared__ float padded[32][33];
+ for (unsigned i = threadIdx.y; i < 32; i += 8)
+ if (top

// == wrong swizzled: no barrier
- __syncthreads();

// == wrong vectorized: words lie as they come
- (x ^ (y % 32))
+ x

// == wrong vectorized: swizzled by four rows at a time
- y % 32
+ y / 4 % 32

// == wrong vectorized: no barrier
- __syncthreads();

// == wrong vectorized: four floats of any row
- if (n % 4 == 0) {
+ if (n % 2 == 0) {

// == wrong vectorized: one float at a time
- if (n % 4 == 0) {
+ if (n == 0) {

// == missed vectorized: float4 of out by the rows of in
- if (m % 4 == 0) {
+ if (n % 4 == 0) {

// == wrong vectorized: sides are not asked about
- if (inside(y, x))
