// The five-point mean on a plane of height x width floats, stored row by row: the sum of a point and its four
// neighbours, divided by 5. The points of the border are copied.
//
//  mean_naive      one point per thread, five loads from global memory; the caches serve the repeated loads.
//  mean_shared     like mean_naive, but the block loads its points and a halo of one into shared memory. The
//                  corners of the halo are not needed, so they are not loaded.
//  mean_halo_global  like mean_shared, but only the block's own points are in shared memory; a thread at the edge of
//                  its block loads its neighbour beyond the edge from global memory.
//  mean_printed    like mean_shared, as a course printed it: wrong, see there.
//  mean_marching   a thread goes down a column of `rows` points with three values in registers: a point is loaded
//                  once for its column, not three times; the values to the left and right come by shuffles.
//  mean_marching4  like mean_marching, but four columns per thread, as float4: for widths that are
//                  multiples of 4.
//  mean_batch      like mean_marching4, but a thread has four rows, and loads them all before it takes the first mean: no
//                  load waits for the means of the row before.

extern "C" __global__ void mean_naive(const float* in, float* out, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    size_t i = (size_t)y * width + x;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        out[i] = (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]) / 5.0f;
    else
        out[i] = in[i];
}

// Takes (blockDim.x + 2) (blockDim.y + 2) floats of dynamic shared memory.
extern "C" __global__ void mean_shared(const float* in, float* out, unsigned width, unsigned height) {
    extern __shared__ float s[];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned sw = blockDim.x + 2, at = (threadIdx.y + 1) * sw + threadIdx.x + 1;
    size_t i = (size_t)y * width + x;
    bool inside = x < width && y < height;
    if (inside) {
        s[at] = in[i];
        if (threadIdx.x == 0 && x > 0) s[at - 1] = in[i - 1];
        if (threadIdx.x == blockDim.x - 1 && x + 1 < width) s[at + 1] = in[i + 1];
        if (threadIdx.y == 0 && y > 0) s[at - sw] = in[i - width];
        if (threadIdx.y == blockDim.y - 1 && y + 1 < height) s[at + sw] = in[i + width];
    }
    __syncthreads();
    if (!inside) return;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        out[i] = (s[at] + s[at - 1] + s[at + 1] + s[at - sw] + s[at + sw]) / 5.0f;
    else
        out[i] = s[at];
}

// Takes blockDim.x blockDim.y floats of dynamic shared memory. Each cell of the halo is needed by one thread only, so
// that nothing is loaded more often than in mean_shared.
extern "C" __global__ void mean_halo_global(const float* in, float* out, unsigned width, unsigned height) {
    extern __shared__ float s[];
    unsigned bx = blockDim.x, tx = threadIdx.x, ty = threadIdx.y, at = ty * bx + tx;
    unsigned x = blockIdx.x * bx + tx, y = blockIdx.y * blockDim.y + ty;
    size_t i = (size_t)y * width + x;
    bool inside = x < width && y < height;
    if (inside) s[at] = in[i];
    __syncthreads();
    if (!inside) return;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        float left = tx > 0 ? s[at - 1] : in[i - 1], right = tx + 1 < bx ? s[at + 1] : in[i + 1];
        float above = ty > 0 ? s[at - bx] : in[i - width], below = ty + 1 < blockDim.y ? s[at + bx] : in[i + width];
        out[i] = (s[at] + left + right + above + below) / 5.0f;
    } else {
        out[i] = s[at];
    }
}

// Wrong: the loads of the halo on the left and on the right do not test whether the row is inside, and the last row of
// blocks has rows that are not. What they load there is not used, so that the result is right.
extern "C" __global__ void mean_printed(const float* in, float* out, unsigned width, unsigned height) {
    extern __shared__ float s[];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned sw = blockDim.x + 2, at = (threadIdx.y + 1) * sw + threadIdx.x + 1;
    size_t i = (size_t)y * width + x;
    s[at] = x < width && y < height ? in[i] : 0.0f;
    if (threadIdx.x == 0 && x > 0) s[at - 1] = in[i - 1];
    if (threadIdx.x == blockDim.x - 1 && x + 1 < width) s[at + 1] = in[i + 1];
    if (threadIdx.y == 0 && y > 0 && x < width) s[at - sw] = in[i - width];
    if (threadIdx.y == blockDim.y - 1 && y + 1 < height && x < width) s[at + sw] = in[i + width];
    __syncthreads();
    if (x >= width || y >= height) return;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        out[i] = (s[at] + s[at - 1] + s[at + 1] + s[at - sw] + s[at + sw]) / 5.0f;
    else
        out[i] = s[at];
}

// One-dimensional blocks of whole warps; blockIdx.x counts strips of columns, blockIdx.y strips of rows.
extern "C" __global__ void mean_marching(const float* __restrict__ in, float* __restrict__ out, unsigned width,
                                         unsigned height, unsigned rows) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned y = blockIdx.y * rows, left_rows = height - y < rows ? height - y : rows;
    bool here = x < width;
    const float* p = in + (size_t)y * width + x;
    float* q = out + (size_t)y * width + x;
    float above = here && y > 0 ? *(p - width) : 0.0f, centre = here ? *p : 0.0f;
#pragma unroll 4
    for (unsigned r = 0; r < left_rows; r++, p += width, q += width) {
        float below = here && y + r + 1 < height ? p[width] : 0.0f;
        float left = __shfl_up_sync(0xffffffff, centre, 1), right = __shfl_down_sync(0xffffffff, centre, 1);
        if (lane == 0 && here && x > 0) left = p[-1];
        if (lane == 31 && x + 1 < width) right = p[1];
        bool inner = x > 0 && x + 1 < width && y + r > 0 && y + r + 1 < height;
        if (here) *q = inner ? (centre + left + right + above + below) * 0.2f : centre;
        above = centre;
        centre = below;
    }
}

extern "C" __global__ void mean_marching4(const float* __restrict__ in, float* __restrict__ out, unsigned width,
                                          unsigned height, unsigned rows) {
    unsigned x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), lane = threadIdx.x % 32;
    unsigned y = blockIdx.y * rows, left_rows = height - y < rows ? height - y : rows;
    bool here = x < width;
    const float4 none = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float* p = in + (size_t)y * width + x;
    float* q = out + (size_t)y * width + x;
    float4 above = here && y > 0 ? *(const float4*)(p - width) : none, centre = here ? *(const float4*)p : none;
#pragma unroll 4
    for (unsigned r = 0; r < left_rows; r++, p += width, q += width) {
        bool last = y + r + 1 >= height;
        float4 below = here && !last ? *(const float4*)(p + width) : none;
        float left = __shfl_up_sync(0xffffffff, centre.w, 1), right = __shfl_down_sync(0xffffffff, centre.x, 1);
        if (lane == 0 && here && x > 0) left = p[-1];
        if (lane == 31 && x + 4 < width) right = p[4];
        float4 mean = make_float4((centre.x + left + centre.y + above.x + below.x) * 0.2f,
                                  (centre.y + centre.x + centre.z + above.y + below.y) * 0.2f,
                                  (centre.z + centre.y + centre.w + above.z + below.z) * 0.2f,
                                  (centre.w + centre.z + right + above.w + below.w) * 0.2f);
        if (y + r == 0 || last) mean = centre;
        if (x == 0) mean.x = centre.x;
        if (x + 4 == width) mean.w = centre.w;
        if (here) *(float4*)q = mean;
        above = centre;
        centre = below;
    }
}

constexpr int BATCH = 4;

// Blocks of 128 threads with four columns each; blockIdx.x counts strips of columns, blockIdx.y strips of BATCH rows.
extern "C" __global__ void __launch_bounds__(128) mean_batch(const float* __restrict__ in, float* __restrict__ out,
                                                            unsigned width, unsigned height) {
    unsigned x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * BATCH, lane = threadIdx.x % 32;
    bool here = x < width;
    // held[1] is row y; side[r] is the neighbour of held[r] that no lane of this warp has.
    float4 held[BATCH + 2];
    float side[BATCH + 2];
#pragma unroll
    for (int r = 0; r < BATCH + 2; r++) {
        const float* p = in + (size_t)(y + r - 1) * width + x;
        bool inside = here && y + r - 1 < height; // row -1 wraps around, and is outside as well
        held[r] = inside ? *(const float4*)p : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        side[r] = 0.0f;
        if (inside && lane == 0 && x > 0) side[r] = p[-1];
        if (inside && lane == 31 && x + 4 < width) side[r] = p[4];
    }
#pragma unroll
    for (int r = 1; r <= BATCH; r++) {
        unsigned row = y + r - 1;
        float4 above = held[r - 1], centre = held[r], below = held[r + 1];
        float left = __shfl_up_sync(0xffffffff, centre.w, 1), right = __shfl_down_sync(0xffffffff, centre.x, 1);
        if (lane == 0) left = side[r];
        if (lane == 31) right = side[r];
        float4 mean = make_float4((centre.x + left + centre.y + above.x + below.x) * 0.2f,
                                  (centre.y + centre.x + centre.z + above.y + below.y) * 0.2f,
                                  (centre.z + centre.y + centre.w + above.z + below.z) * 0.2f,
                                  (centre.w + centre.z + right + above.w + below.w) * 0.2f);
        if (row == 0 || row + 1 == height) mean = centre;
        if (x == 0) mean.x = centre.x;
        if (x + 4 == width) mean.w = centre.w;
        if (here && row < height) *(float4*)(out + (size_t)row * width + x) = mean;
    }
}
