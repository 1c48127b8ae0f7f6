// The convolutions that come close to a copy: four neighbouring results a thread, and masks of known size, so that each
// product takes its factor from constant memory within one instruction.
//
//  line_wide_4, line_wide_8   a line, like line_constant in convolution.cu, with a mask of radius 4 or 8: zeros surround a
//                   smaller one. The elements come as float4.
//  image_wide_1, _2, _3       an image, like image_constant, with a mask of that radius. A thread has 4 columns and ROWS
//                   rows of results, and loads all points of its columns before the first product: no load waits for a
//                   product. Those of the columns next to it come from the neighbouring lanes by shuffles; lanes 0 and 31
//                   load them.
//  image_overlap_2, image_overlap_2_tall   like image_wide_2, but the warps overlap: lanes 0 and 31 only load. The latter
//                   has twice as many rows a thread.
//  separable_wide_1, _2, _3   like image_wide, with a mask that is the product of a column and a row: each row of points is
//                   summed up along the row first, and the sum goes to all results that it belongs to.
//
// The images' widths are multiples of 4. Blocks of 32 x 8 threads: the warp to the right is in another block, and the warps of a block lie below each other, so that the first-level cache has the rows that two of them need.
#define RADIUS 8
#define TAPS (2 * RADIUS + 1)

__constant__ float mask[TAPS * TAPS];
__constant__ float row_mask[TAPS];
__constant__ float column_mask[TAPS];

template <int R>
__device__ void line_wide(const float* __restrict__ x, float* __restrict__ y, unsigned long long n) {
    long long i = 4 * ((long long)blockIdx.x * blockDim.x + threadIdx.x), end = n;
    if (i >= end) return;
    // v[c] is the element at i - R + c.
    float v[4 + 2 * R];
#pragma unroll
    for (int c = 0; c < 4 + 2 * R; c += 4) {
        long long at = i - R + c;
        if (at >= 0 && at + 4 <= end) {
            float4 f = *(const float4*)&x[at];
            v[c] = f.x, v[c + 1] = f.y, v[c + 2] = f.z, v[c + 3] = f.w;
        } else {
#pragma unroll
            for (int k = 0; k < 4; k++) v[c + k] = at + k >= 0 && at + k < end ? x[at + k] : 0.0f;
        }
    }
    float sum[4] = {};
#pragma unroll
    for (int j = 0; j <= 2 * R; j++)
#pragma unroll
        for (int c = 0; c < 4; c++) sum[c] += mask[j] * v[c + j];
    if (i + 4 <= end) {
        *(float4*)&y[i] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    } else {
#pragma unroll
        for (int c = 0; c < 4; c++)
            if (i + c < end) y[i + c] = sum[c];
    }
}

extern "C" __global__ void line_wide_4(const float* x, float* y, unsigned long long n) { line_wide<4>(x, y, n); }
extern "C" __global__ void line_wide_8(const float* x, float* y, unsigned long long n) { line_wide<8>(x, y, n); }

__device__ float4 four(const float* in, int width, int height, int x, int y) {
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    return inside ? *(const float4*)&in[(size_t)y * width + x] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__device__ float part(float4 v, int c) { return c == 0 ? v.x : c == 1 ? v.y : c == 2 ? v.z : v.w; }

// How the warps get the columns next to theirs, and whether the mask is a product.
enum Sides { LOADED, OVERLAP };
enum Mask { WHOLE, PRODUCT };

template <int R, int ROWS, Sides SIDES, Mask MASK>
__device__ void image_wide(const float* __restrict__ in, float* __restrict__ out, int width, int height) {
    static_assert(R <= 4, "the columns next to a thread's are those of its neighbours");
    const int OWN = SIDES == OVERLAP ? 30 : 32;
    int lane = threadIdx.x, x = 4 * ((int)blockIdx.x * OWN + lane - (SIDES == OVERLAP));
    int y = ((int)blockIdx.y * 8 + threadIdx.y) * ROWS;
    if (y >= height) return;
    float4 held[ROWS + 2 * R], side[ROWS + 2 * R];
#pragma unroll
    for (int r = 0; r < ROWS + 2 * R; r++) held[r] = four(in, width, height, x, y + r - R);
    if (SIDES == LOADED) {
#pragma unroll
        for (int r = 0; r < ROWS + 2 * R; r++) {
            side[r] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            if (lane == 0 || lane == 31) side[r] = four(in, width, height, lane == 0 ? x - 4 : x + 4, y + r - R);
        }
    }
    float sum[ROWS][4] = {};
#pragma unroll
    for (int r = 0; r < ROWS + 2 * R; r++) {
        // v[c] is the point at column x - R + c.
        float v[4 + 2 * R];
#pragma unroll
        for (int c = 0; c < 4; c++) v[R + c] = part(held[r], c);
#pragma unroll
        for (int k = 0; k < R; k++) {
            v[k] = __shfl_up_sync(0xffffffff, part(held[r], 4 - R + k), 1);
            v[R + 4 + k] = __shfl_down_sync(0xffffffff, part(held[r], k), 1);
            if (SIDES == LOADED) {
                if (lane == 0) v[k] = part(side[r], 4 - R + k);
                if (lane == 31) v[R + 4 + k] = part(side[r], k);
            }
        }
        float along[4] = {};
        if (MASK == PRODUCT) {
#pragma unroll
            for (int j = 0; j <= 2 * R; j++)
#pragma unroll
                for (int c = 0; c < 4; c++) along[c] += row_mask[j] * v[c + j];
        }
        // Row r of the points belongs to the results of rows r - 2 R to r.
#pragma unroll
        for (int o = 0; o < ROWS; o++) {
            int i = r - o;
            if (i < 0 || i > 2 * R) continue;
            if (MASK == PRODUCT) {
#pragma unroll
                for (int c = 0; c < 4; c++) sum[o][c] += column_mask[i] * along[c];
            } else {
#pragma unroll
                for (int j = 0; j <= 2 * R; j++)
#pragma unroll
                    for (int c = 0; c < 4; c++) sum[o][c] += mask[i * (2 * R + 1) + j] * v[c + j];
            }
        }
    }
    bool stores = x < width && (SIDES == LOADED || (lane > 0 && lane < 31));
#pragma unroll
    for (int o = 0; o < ROWS; o++) {
        if (stores && y + o < height)
            *(float4*)&out[(size_t)(y + o) * width + x] = make_float4(sum[o][0], sum[o][1], sum[o][2], sum[o][3]);
    }
}

#define IMAGE(NAME, R, ROWS, SIDES, MASK)                                                         \
    extern "C" __global__ void __launch_bounds__(256)                                             \
        NAME(const float* __restrict__ in, float* __restrict__ out, int width, int height) { \
        image_wide<R, ROWS, SIDES, MASK>(in, out, width, height);                                 \
    }

IMAGE(image_wide_1, 1, 4, LOADED, WHOLE)
IMAGE(image_wide_2, 2, 4, LOADED, WHOLE)
IMAGE(image_wide_3, 3, 4, LOADED, WHOLE)
IMAGE(image_overlap_2, 2, 4, OVERLAP, WHOLE)
IMAGE(image_overlap_2_tall, 2, 8, OVERLAP, WHOLE)
IMAGE(separable_wide_1, 1, 4, LOADED, PRODUCT)
IMAGE(separable_wide_2, 2, 4, LOADED, PRODUCT)
IMAGE(separable_wide_3, 3, 4, LOADED, PRODUCT)
