// Convolutions with zeros beyond the ends: on a line of n floats, y[i] is the sum of mask[r + j] x[i + j] for j from
// -r to r, and likewise on an image of height x width floats, stored row by row. The radius r is at most 8.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//  line_global      a thread an element; the mask is an array in global memory.
//  line_readonly    like line_global, but the compiler knows that the arrays are only read.
//  line_constant    like line_global, but the mask is in constant memory.
//  line_shared      like line_constant, but a block loads its elements and their halo once, into shared memory.
//  image_global     a thread a point; the mask is an array in global memory.
//  image_constant   like image_global, but the mask is in constant memory.
//  image_tile_in    like image_constant, but a block of 32 x 32 threads loads one point a thread into shared memory:
//                   the threads inside of the halo have a result.
//  image_tile_out   a block has 32 x 32 results and loads the points that they need, in several turns.
//  image_rows, image_columns   the two passes of a mask that is the product of a column and a row.
//  image_fused      both passes in one kernel: the sums of the rows stay in shared memory.
#define RADIUS 8
#define TAPS (2 * RADIUS + 1)

// The host fills these: the whole mask, row by row, and the row and the column whose product it is.
__constant__ float mask[TAPS * TAPS];
__constant__ float row_mask[TAPS];
__constant__ float column_mask[TAPS];

extern "C" __global__ void line_global(const float* x, const float* m, float* y, unsigned long long n, int radius) {
    // [part global] Let each thread compute one y[i]. m has 2 radius + 1 floats; beyond its ends, x counts as 0.
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, end = n;
    if (i >= end) return;
    float sum = 0.0f;
    for (int j = -radius; j <= radius; j++) {
        if (i + j >= 0 && i + j < end) sum += m[radius + j] * x[i + j];
    }
    y[i] = sum;
    // [end]
}

// [not handed out]
extern "C" __global__ void line_readonly(const float* __restrict__ x, const float* __restrict__ m,
                                         float* __restrict__ y, unsigned long long n, int radius) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, end = n;
    if (i >= end) return;
    float sum = 0.0f;
    for (int j = -radius; j <= radius; j++) {
        if (i + j >= 0 && i + j < end) sum += m[radius + j] * x[i + j];
    }
    y[i] = sum;
}
// [end]

extern "C" __global__ void line_constant(const float* x, float* y, unsigned long long n, int radius) {
    // [part constant] Do as in part global, with the mask of constant memory, `mask`.
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, end = n;
    if (i >= end) return;
    float sum = 0.0f;
    for (int j = -radius; j <= radius; j++) {
        if (i + j >= 0 && i + j < end) sum += mask[radius + j] * x[i + j];
    }
    y[i] = sum;
    // [end]
}

// Takes blockDim.x + 2 radius floats of dynamic shared memory.
extern "C" __global__ void line_shared(const float* x, float* y, unsigned long long n, int radius) {
    extern __shared__ float s[];
    // [part shared] Let the block load its elements and a halo of `radius` on each side, each once: s[c] is the element
    // at `first` + c, or 0 where that lies outside. Then let each thread compute its y[i] from shared memory.
    // The block may have fewer threads than the halo has elements.
    long long end = n, first = (long long)blockIdx.x * blockDim.x - radius;
    for (int c = threadIdx.x; c < (int)blockDim.x + 2 * radius; c += blockDim.x) {
        s[c] = first + c >= 0 && first + c < end ? x[first + c] : 0.0f;
    }
    __syncthreads();
    long long i = first + radius + threadIdx.x;
    if (i >= end) return;
    float sum = 0.0f;
    for (int j = 0; j <= 2 * radius; j++) sum += mask[j] * s[threadIdx.x + j];
    y[i] = sum;
    // [end]
}

// [not handed out]
extern "C" __global__ void image_global(const float* in, const float* m, float* out, int width, int height,
                                        int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int i = -radius; i <= radius; i++) {
        for (int j = -radius; j <= radius; j++) {
            if (y + i >= 0 && y + i < height && x + j >= 0 && x + j < width)
                sum += m[(radius + i) * (2 * radius + 1) + radius + j] * in[(size_t)(y + i) * width + x + j];
        }
    }
    out[(size_t)y * width + x] = sum;
}
// [end]

extern "C" __global__ void image_constant(const float* in, float* out, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    // [part image] Compute the result at row y and column x, from `mask`: row `radius` + i and column `radius` + j of it
    // belong to the point i rows below and j columns to the right. Beyond its edges, the image counts as 0.
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int i = -radius; i <= radius; i++) {
        for (int j = -radius; j <= radius; j++) {
            if (y + i >= 0 && y + i < height && x + j >= 0 && x + j < width)
                sum += mask[(radius + i) * (2 * radius + 1) + radius + j] * in[(size_t)(y + i) * width + x + j];
        }
    }
    out[(size_t)y * width + x] = sum;
    // [end]
}

// The point at row y and column x, or 0 outside of the image.
__device__ float point(const float* in, int width, int height, int x, int y) {
    return x >= 0 && x < width && y >= 0 && y < height ? in[(size_t)y * width + x] : 0.0f;
}

// [not handed out]
extern "C" __global__ void image_tile_in(const float* in, float* out, int width, int height, int radius) {
    __shared__ float s[32][32];
    int side = 32 - 2 * radius, tx = threadIdx.x, ty = threadIdx.y;
    int x = (int)blockIdx.x * side + tx - radius, y = (int)blockIdx.y * side + ty - radius;
    s[ty][tx] = point(in, width, height, x, y);
    __syncthreads();
    if (tx < radius || tx >= 32 - radius || ty < radius || ty >= 32 - radius || x >= width || y >= height) return;
    float sum = 0.0f;
    for (int i = -radius; i <= radius; i++) {
        for (int j = -radius; j <= radius; j++)
            sum += mask[(radius + i) * (2 * radius + 1) + radius + j] * s[ty + i][tx + j];
    }
    out[(size_t)y * width + x] = sum;
}
// [end]

// Blocks of 32 x 8 threads; (32 + 2 radius)^2 floats of dynamic shared memory.
extern "C" __global__ void image_tile_out(const float* in, float* out, int width, int height, int radius) {
    extern __shared__ float s[];
    int side = 32 + 2 * radius, left = blockIdx.x * 32, top = blockIdx.y * 32;
    // [part tiled] The block has the 32 x 32 results from row `top` and column `left` on: 4 a thread. Load the side x
    // side points that they need, each once, row by row to s, with 0 for those outside. Then compute the results.
    for (int r = threadIdx.y; r < side; r += 8) {
        for (int c = threadIdx.x; c < side; c += 32)
            s[r * side + c] = point(in, width, height, left + c - radius, top + r - radius);
    }
    __syncthreads();
    int x = left + threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += 8) {
        if (x >= width || top + r >= height) return;
        float sum = 0.0f;
        for (int i = 0; i <= 2 * radius; i++) {
            for (int j = 0; j <= 2 * radius; j++)
                sum += mask[i * (2 * radius + 1) + j] * s[(r + i) * side + threadIdx.x + j];
        }
        out[(size_t)(top + r) * width + x] = sum;
    }
    // [end]
}

// [not handed out]
extern "C" __global__ void image_rows(const float* in, float* out, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int j = -radius; j <= radius; j++) sum += row_mask[radius + j] * point(in, width, height, x + j, y);
    out[(size_t)y * width + x] = sum;
}

extern "C" __global__ void image_columns(const float* in, float* out, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    for (int i = -radius; i <= radius; i++) sum += column_mask[radius + i] * point(in, width, height, x, y + i);
    out[(size_t)y * width + x] = sum;
}
// [end]

// Blocks of 32 x 8 threads with 32 x 32 results.
extern "C" __global__ void image_fused(const float* in, float* out, int width, int height, int radius) {
    __shared__ float sums[32 + 2 * RADIUS][32];
    int x = blockIdx.x * 32 + threadIdx.x, top = blockIdx.y * 32;
    // [part fused] The mask is the product of column_mask and row_mask. Let sums[r] be the sums along row
    // `top` + r - radius with row_mask, for the block's 32 columns; a row outside has only zeros. Then compute the
    // block's 32 x 32 results from these, with column_mask.
    for (int r = threadIdx.y; r < 32 + 2 * radius; r += 8) {
        float sum = 0.0f;
        for (int j = -radius; j <= radius; j++)
            sum += row_mask[radius + j] * point(in, width, height, x + j, top + r - radius);
        sums[r][threadIdx.x] = sum;
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8) {
        if (x >= width || top + r >= height) return;
        float sum = 0.0f;
        for (int i = 0; i <= 2 * radius; i++) sum += column_mask[i] * sums[r + i][threadIdx.x];
        out[(size_t)(top + r) * width + x] = sum;
    }
    // [end]
}
