// C = A B in float: A is m x k, B is k x n, C is m x n, all stored row by row. Any m, k, n, including 1.
// The first half of the ladder: who loads what, and how often.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//  naive           a thread computes one element of C and reads its row of A and column of B
//                  from global memory: 2 k loads per thread.
//  tiled16         like naive, but a block of 16 x 16 threads first loads a 16 x 16 tile of A
//                  and of B to shared memory: every loaded element serves 16 threads.
//  tiled32         like tiled16, but 32 x 32: half the traffic again, and only one or two blocks
//                  fit on a multiprocessor. Both come from one template.
//  rectangular     like tiled16, but the tile has the width of the block, and the tiles lie in
//                  dynamic shared memory: one kernel for every tile width. The compiler does not know
//                  the width, so it cannot unroll the inner loop or fold the index arithmetic.
//  depth_parallel  like tiled16, but the depth k is cut into gridDim.z slices, and the
//                  blocks of each slice add their part with atomicAdd: parallel even where
//                  C is small. C must hold zeros beforehand.
//  depth_in_block  like naive, but the depth is shared out among the threads of a block along z: thread z takes
//                  q = z, z + blockDim.z, ...; their sums are added in shared memory. Nothing is used twice.
//
// Grid: x counts tiles along n, y tiles along m. Index products have 64 bits: m k may exceed 2^31.

extern "C" __global__ void naive(const float* A, const float* B, float* C, unsigned m, unsigned k, unsigned n) {
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
    // [part naive] Store one element of C: the sum of the products of row `row` of A and column `col` of B. Some
    // threads lie outside C. Index products need 64 bits.
    if (row < m && col < n) {
        float sum = 0.0f;
        for (unsigned q = 0; q < k; q++) sum += A[(size_t)row * k + q] * B[(size_t)q * n + col];
        C[(size_t)row * n + col] = sum;
    }
    // [end]
}

// The part of one element's sum with q in [begin, end), by T x T tiles. Every thread of the block
// takes part in the loads and barriers; outside the matrices a tile holds zeros.
template <unsigned T>
__device__ float tile_sum(const float* A, const float* B, unsigned m, unsigned n, unsigned begin, unsigned end,
                          unsigned k) {
    __shared__ float a[T][T], b[T][T];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0.0f;
    // [part tiled] Go over [begin, end) in steps of T. In each, the threads load a tile of A to `a` and one of B to
    // `b`, an element each, with 0 outside the matrices and past `end`; then each adds T products to its `sum`.
    for (unsigned left = end - begin, q = begin; left > 0; q += T, left -= left < T ? left : T) {
        // `left` counts down to 0, because q + T could exceed 2^32.
        a[y][x] = row < m && x < left ? A[(size_t)row * k + q + x] : 0.0f;
        b[y][x] = col < n && y < left ? B[(size_t)(q + y) * n + col] : 0.0f;
        __syncthreads();
        for (unsigned i = 0; i < T; i++) sum += a[y][i] * b[i][x];
        __syncthreads();  // no thread overwrites a tile that another thread still reads
    }
    // [end]
    return sum;
}

extern "C" __global__ void tiled16(const float* A, const float* B, float* C, unsigned m, unsigned k, unsigned n) {
    float sum = tile_sum<16>(A, B, m, n, 0, k, k);
    unsigned row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row < m && col < n) C[(size_t)row * n + col] = sum;
}

// Two blocks of 1024 threads fill a multiprocessor if no thread has more than 32 registers.
extern "C" __global__ __launch_bounds__(1024, 2) void tiled32(const float* A, const float* B, float* C, unsigned m,
                                                              unsigned k, unsigned n) {
    float sum = tile_sum<32>(A, B, m, n, 0, k, k);
    unsigned row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    if (row < m && col < n) C[(size_t)row * n + col] = sum;
}

// Launch with square blocks of w x w threads and 2 w w floats of dynamic shared memory.
extern "C" __global__ void rectangular(const float* A, const float* B, float* C, unsigned m, unsigned k, unsigned n) {
    extern __shared__ float tiles[];
    unsigned w = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    float *a = tiles, *b = tiles + w * w;
    unsigned row = blockIdx.y * w + y, col = blockIdx.x * w + x;
    // [part rectangular] Do as in part tiled, but with tiles of w x w, stored row by row in `a` and `b`: `w` is known
    // only at launch. Then store the sum.
    float sum = 0.0f;
    for (unsigned left = k, q = 0; left > 0; q += w, left -= left < w ? left : w) {
        a[y * w + x] = row < m && x < left ? A[(size_t)row * k + q + x] : 0.0f;
        b[y * w + x] = col < n && y < left ? B[(size_t)(q + y) * n + col] : 0.0f;
        __syncthreads();
        for (unsigned i = 0; i < w; i++) sum += a[y * w + i] * b[i * w + x];
        __syncthreads();
    }
    if (row < m && col < n) C[(size_t)row * n + col] = sum;
    // [end]
}

// Slice blockIdx.z covers `slice` of the depth; the last slice covers the rest.
extern "C" __global__ void depth_parallel(const float* A, const float* B, float* C, unsigned m, unsigned k, unsigned n,
                                          unsigned slice) {
    unsigned begin = blockIdx.z * slice;
    unsigned end = k - begin < slice ? k : begin + slice;
    float sum = tile_sum<16>(A, B, m, n, begin, end, k);
    unsigned row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row < m && col < n) atomicAdd(&C[(size_t)row * n + col], sum);
}

// Takes a float of dynamic shared memory per thread.
extern "C" __global__ void depth_in_block(const float* A, const float* B, float* C, unsigned m, unsigned k,
                                          unsigned n) {
    extern __shared__ float parts[];
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned layer = blockDim.x * blockDim.y, at = threadIdx.y * blockDim.x + threadIdx.x;
    bool inside = row < m && col < n;
    // [part depth] Let a thread of layer z add the products q = z, z + blockDim.z, ... of its element, and leave the
    // sum in `parts`. The threads of layer 0 then add up the sums of all layers, and store them.
    float sum = 0.0f;
    for (unsigned q = threadIdx.z; inside && q < k; q += blockDim.z)
        sum += A[(size_t)row * k + q] * B[(size_t)q * n + col];
    parts[threadIdx.z * layer + at] = sum;
    __syncthreads();
    if (threadIdx.z != 0 || !inside) return;
    for (unsigned z = 1; z < blockDim.z; z++) sum += parts[z * layer + at];
    C[(size_t)row * n + col] = sum;
    // [end]
}
