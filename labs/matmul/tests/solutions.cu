// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right naive: early return, and pointers
    if (row >= m || col >= n) return;
    const float *a = A + (size_t)row * k, *b = B + col;
    float sum = 0.0f;
    for (unsigned q = 0; q < k; q++, b += n) sum += *a++ * *b;
    C[(size_t)row * n + col] = sum;

// == right naive: fused multiply and add, unrolled by pragma
    float sum = 0;
    if (row < m && col < n) {
#pragma unroll 8
        for (int q = 0; q < k; ++q) sum = fmaf(__ldg(&A[row * (size_t)k + q]), __ldg(&B[q * (size_t)n + col]), sum);
        C[row * (size_t)n + col] = sum;
    }

// == right naive: grid-stride in two dimensions
    for (unsigned i = row; i < m; i += gridDim.y * blockDim.y)
        for (unsigned j = col; j < n; j += gridDim.x * blockDim.x) {
            float sum = 0.0f;
            for (unsigned q = 0; q < k; q++) sum += A[(size_t)i * k + q] * B[(size_t)q * n + j];
            C[(size_t)i * n + j] = sum;
        }

// == right tiled: number of phases
    unsigned phases = (end - begin + T - 1) / T;
    for (unsigned phase = 0; phase < phases; phase++) {
        unsigned q = begin + phase * T;
        if (row < m && q + x < end) a[y][x] = A[(size_t)row * k + q + x];
        else a[y][x] = 0.0f;
        if (col < n && q + y < end) b[y][x] = B[(size_t)(q + y) * n + col];
        else b[y][x] = 0.0f;
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < T; i++) sum += a[y][i] * b[i][x];
        __syncthreads();
    }

// == right tiled: inner loop ends with the depth
    for (unsigned q = begin; q < end; q += T) {
        unsigned depth = min(T, end - q);
        if (row < m && x < depth) a[y][x] = A[(size_t)row * k + q + x];
        if (col < n && y < depth) b[y][x] = B[(size_t)(q + y) * n + col];
        __syncthreads();
        if (row < m && col < n)
            for (unsigned i = 0; i < depth; i++) sum = fmaf(a[y][i], b[i][x], sum);
        __syncthreads();
    }

// == right tiled: tile of A is stored with its rows and columns exchanged
    for (unsigned q = begin; q < end; q += T) {
        a[x][y] = row < m && q + x < end ? A[(size_t)row * k + (q + x)] : 0.0f;
        b[y][x] = col < n && q + y < end ? B[(size_t)(q + y) * n + col] : 0.0f;
        __syncthreads();
        for (unsigned i = 0; i < T; i++) sum += a[i][y] * b[i][x];
        __syncthreads();
    }

// == right tiled: next tile is loaded to registers ahead of time
    float next_a = row < m && begin + x < end ? A[(size_t)row * k + begin + x] : 0.0f;
    float next_b = col < n && begin + y < end ? B[(size_t)(begin + y) * n + col] : 0.0f;
    for (unsigned q = begin; q < end; q += T) {
        a[y][x] = next_a;
        b[y][x] = next_b;
        __syncthreads();
        next_a = row < m && q + T + x < end ? A[(size_t)row * k + q + T + x] : 0.0f;
        next_b = col < n && q + T + y < end ? B[(size_t)(q + T + y) * n + col] : 0.0f;
        for (unsigned i = 0; i < T; i++) sum += a[y][i] * b[i][x];
        __syncthreads();
    }

// == right rectangular: rows of a tile by pointers
    float sum = 0.0f;
    for (unsigned q = 0; q < k; q += w) {
        a[y * w + x] = row < m && q + x < k ? A[(size_t)row * k + q + x] : 0.0f;
        b[y * w + x] = col < n && q + y < k ? B[(size_t)(q + y) * n + col] : 0.0f;
        __syncthreads();
        const float *left = a + y * w, *top = b + x;
        for (unsigned i = 0; i < w; i++, top += w) sum += left[i] * *top;
        __syncthreads();
    }
    if (row < m && col < n) C[(size_t)row * n + col] = sum;

// == right rectangular: cooperative groups, and a tile of A by columns
#include <cooperative_groups.h>
// [part rectangular]
    auto block = cooperative_groups::this_thread_block();
    float sum = 0.0f;
    unsigned phases = (k + blockDim.y - 1) / blockDim.y;
    for (unsigned p = 0; p < phases; p++) {
        unsigned i = p * w + x, j = p * w + y;
        a[x * w + y] = row < m && i < k ? A[(size_t)row * k + i] : 0.0f;
        b[y * w + x] = col < n && j < k ? B[(size_t)j * n + col] : 0.0f;
        block.sync();
        for (unsigned q = 0; q < w; q++) sum += a[q * w + y] * b[q * w + x];
        block.sync();
    }
    if (row >= m || col >= n) return;
    C[(size_t)row * n + col] = sum;
// [end]

// == right depth: tree over the layers
    float sum = 0.0f;
    if (inside)
        for (unsigned q = threadIdx.z; q < k; q += blockDim.z) sum += A[(size_t)row * k + q] * B[(size_t)q * n + col];
    parts[threadIdx.z * layer + at] = sum;
    __syncthreads();
    if (threadIdx.z == 0 && inside) {
        float all = 0.0f;
        for (unsigned z = 0; z < blockDim.z; z++) all += parts[z * layer + at];
        C[(size_t)row * n + col] = all;
    }

// == right depth: halves of the layers
    float sum = 0.0f;
    unsigned z = threadIdx.z;
    for (unsigned q = z; inside && q < k; q += blockDim.z) sum = fmaf(A[(size_t)row * k + q], B[(size_t)q * n + col], sum);
    float* mine = &parts[z * layer + at];
    *mine = sum;
    for (unsigned live = blockDim.z; live > 1;) {
        unsigned half = (live + 1) / 2;
        __syncthreads();
        if (z + half < live) *mine += mine[half * layer];
        live = half;
    }
    if (z == 0 && inside) C[(size_t)row * n + col] = *mine;

// == wrong naive: row of A is n long
- (size_t)row * k + q
+ (size_t)row * n + q

// == wrong naive: row of B is k long
- (size_t)q * n + col
+ (size_t)q * k + col

// == wrong naive: row of C is m long
- (size_t)row * n + col] = sum
+ (size_t)row * m + col] = sum

// == wrong naive: B with its rows and columns exchanged
- B[(size_t)q * n + col]
+ B[(size_t)col * k + q]

// == wrong naive: row and column are exchanged
- row < m && col < n
+ row < n && col < m

// == wrong naive: no question about the sides
- if (row < m && col < n) {
+ {

// == wrong naive: one side alone is asked about
- row < m && col < n
+ row < m

// == wrong naive: either side in place of both
- row < m && col < n
+ row < m || col < n

// == wrong naive: sum over n
- q < k;
+ q < n;

// == wrong naive: one product too many
- q < k;
+ q <= k;

// == wrong naive: last product alone
- sum +=
+ sum =

// == wrong naive: sum is not set to 0
- C[(size_t)row * n + col] = sum
+ C[(size_t)row * n + col] += sum

// == wrong naive: sum is kept as an int
- float sum = 0.0f
+ int sum = 0

// == wrong naive: one thread does everything
    if (row == 0 && col == 0)
        for (unsigned i = 0; i < m; i++)
            for (unsigned j = 0; j < n; j++) {
                float sum = 0.0f;
                for (unsigned q = 0; q < k; q++) sum += A[(size_t)i * k + q] * B[(size_t)q * n + j];
                C[(size_t)i * n + j] = sum;
            }

// == wrong tiled: no barrier before the products
- __syncthreads();
- for
+ for

// == wrong tiled: no barrier after the products
- __syncthreads();  // no thread overwrites a tile that another thread still reads

// == wrong tiled: threads outside of C leave
- for (unsigned left
+ if (row >= m || col >= n) return 0.0f;
+ for (unsigned left

// == wrong tiled: outside of the matrices a tile keeps what it had
- a[y][x] = row < m && x < left ? A[(size_t)row * k + q + x] : 0.0f;
- b[y][x] = col < n && y < left ? B[(size_t)(q + y) * n + col] : 0.0f;
+ if (row < m && x < left) a[y][x] = A[(size_t)row * k + q + x];
+ if (col < n && y < left) b[y][x] = B[(size_t)(q + y) * n + col];

// == wrong tiled: depth is not asked about
- row < m && x < left
+ row < m
- col < n && y < left
+ col < n

// == wrong tiled: last tile is forgotten
- left > 0; q += T
+ left >= T; q += T

// == wrong tiled: x and y are exchanged in the products
- a[y][i] * b[i][x]
+ a[i][y] * b[x][i]

// == wrong tiled: step of the tile is forgotten
- (size_t)row * k + q + x
+ (size_t)row * k + x

// == wrong tiled: row of A is n long
- (size_t)row * k + q + x
+ (size_t)row * n + q + x

// == wrong tiled: row of B is k long
- (size_t)(q + y) * n + col
+ (size_t)(q + y) * k + col

// == wrong tiled: sum over a tile ends one product early
- i < T; i++
+ i < T - 1; i++

// == wrong tiled: size of the text's tile
- i < T; i++
+ i < 16; i++

// == wrong tiled: no tile, as in part naive
    for (unsigned q = begin; q < end && row < m && col < n; q++) sum += A[(size_t)row * k + q] * B[(size_t)q * n + col];

// == wrong rectangular: no barrier before the products
- __syncthreads();
- for
+ for

// == wrong rectangular: no barrier after the products
- sum += a[y * w + i] * b[i * w + x];
- __syncthreads();
+ sum += a[y * w + i] * b[i * w + x];

// == wrong rectangular: tile by columns is read by rows
- a[y * w + x] =
+ a[x * w + y] =

// == wrong rectangular: row of A is n long
- (size_t)row * k + q + x
+ (size_t)row * n + q + x

// == wrong rectangular: no tile, as in part naive
    float sum = 0.0f;
    if (row < m && col < n) {
        for (unsigned q = 0; q < k; q++) sum += A[(size_t)row * k + q] * B[(size_t)q * n + col];
        C[(size_t)row * n + col] = sum;
    }

// == wrong rectangular: threads outside of C store
- if (row < m && col < n) C
+ C

// == wrong depth: no barrier before the sums are read
- __syncthreads();

// == wrong depth: threads outside of C leave before the barrier
- float sum = 0.0f;
+ if (!inside) return;
+ float sum = 0.0f;
+ if (threadIdx.z == 1) __syncwarp();
- __syncthreads();
+ if (threadIdx.z > 0) __syncthreads();

// == wrong depth: one layer alone is stored
- for (unsigned z = 1; z < blockDim.z; z++) sum += parts[z * layer + at];

// == wrong depth: layers overlap
- parts[threadIdx.z * layer + at]
+ parts[threadIdx.z + at]

// == wrong depth: layer 0 is added twice
- for (unsigned z = 1;
+ for (unsigned z = 0;

// == wrong depth: every layer takes all products
- q = threadIdx.z; inside && q < k; q += blockDim.z
+ q = 0; inside && q < k; q++

// == wrong depth: every layer stores its own sum
- if (threadIdx.z != 0 || !inside) return;
+ if (!inside) return;

// == wrong depth: layers meet in global memory without atomics
    float sum = 0.0f;
    for (unsigned q = threadIdx.z; inside && q < k; q += blockDim.z)
        sum += A[(size_t)row * k + q] * B[(size_t)q * n + col];
    if (inside && threadIdx.z == 0) C[(size_t)row * n + col] = 0.0f;
    __syncthreads();
    if (inside) C[(size_t)row * n + col] += sum;

// == wrong depth: layer 0 does everything
    if (threadIdx.z > 0 || !inside) return;
    float sum = 0.0f;
    for (unsigned q = 0; q < k; q++) sum += A[(size_t)row * k + q] * B[(size_t)q * n + col];
    C[(size_t)row * n + col] = sum;
