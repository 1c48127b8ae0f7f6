// A layer of many channels and filters, as floats: layer.cuh says what it computes.
//
//  layer_naive     a thread a result: all channels of its 3 x 3 pixels.
//  layer_shared    a block has 32 x 8 pixels and 8 filters, and loads a plane's tile with its halo into shared memory: a
//                  thread uses the 9 pixels that it reads for 8 results.
//  unfold          writes the right factor of the product to memory: each pixel up to nine times (im2col).
//  layer_product   the product of weights with that factor: a block has 64 filters and 128 pixels, 8 x 4 a thread.
//  layer_implicit  like layer_product, but takes the elements of the right factor from the images: the factor is never
//                  written.
#include "layer.cuh"

// Grid: x counts blocks of pixels of an image, y filters, z images.
extern "C" __global__ void layer_naive(const float* in, const float* weights, float* out, Layer layer) {
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y, image = blockIdx.z;
    if (p >= layer.area()) return;
    int y = p / layer.width, x = p % layer.width, height = layer.height, width = layer.width;
    const float* plane = in + (size_t)image * layer.channels * layer.area();
    const float* w = weights + (size_t)k * layer.depth();
    float sum = 0.0f;
    for (unsigned c = 0; c < layer.channels; c++, plane += layer.area(), w += 9) {
        for (int i = -1; i <= 1; i++) {
            for (int j = -1; j <= 1; j++) {
                if (y + i >= 0 && y + i < height && x + j >= 0 && x + j < width)
                    sum += w[3 * (i + 1) + j + 1] * plane[(y + i) * width + x + j];
            }
        }
    }
    out[((size_t)image * layer.filters + k) * layer.area() + p] = sum;
}

// Blocks of 32 x 8 threads. Grid: x counts tiles of 32 x 8 pixels, y groups of 8 filters, z images.
extern "C" __global__ void layer_shared(const float* in, const float* weights, float* out, Layer layer) {
    __shared__ float tile[10][34];
    __shared__ __align__(16) float factors[9][8];
    int height = layer.height, width = layer.width, across = (width + 31) / 32;
    int left = (int)blockIdx.x % across * 32, top = (int)blockIdx.x / across * 8;
    unsigned t = threadIdx.y * 32 + threadIdx.x, first = blockIdx.y * 8;
    const float* plane = in + (size_t)blockIdx.z * layer.channels * layer.area();
    float sum[8] = {};
    for (unsigned c = 0; c < layer.channels; c++, plane += layer.area()) {
        __syncthreads();  // the tile before has been used
        for (unsigned e = t; e < 340; e += 256) {
            int y = top + (int)(e / 34) - 1, x = left + (int)(e % 34) - 1;
            bool inside = y >= 0 && y < height && x >= 0 && x < width;
            tile[e / 34][e % 34] = inside ? plane[y * width + x] : 0.0f;
        }
        if (t < 72) {
            unsigned k = first + t / 9;
            factors[t % 9][t / 9] = k < layer.filters ? weights[(size_t)k * layer.depth() + 9 * c + t % 9] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (unsigned place = 0; place < 9; place++) {
            float v = tile[threadIdx.y + place / 3][threadIdx.x + place % 3];
#pragma unroll
            for (unsigned k = 0; k < 8; k++) sum[k] += factors[place][k] * v;
        }
    }
    int y = top + threadIdx.y, x = left + threadIdx.x;
    if (y >= height || x >= width) return;
    float* to = out + ((size_t)blockIdx.z * layer.filters + first) * layer.area() + y * width + x;
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        if (first + k < layer.filters) to[k * layer.area()] = sum[k];
}

// Grid: x counts blocks of pixels of all images, y rows of the factor.
extern "C" __global__ void unfold(const float* in, float* factor, Layer layer) {
    unsigned p = blockIdx.x * blockDim.x + threadIdx.x, d = blockIdx.y;
    if (p < layer.pixels()) factor[(size_t)d * layer.pixels() + p] = pixel_of(layer, in, p)[row_of(layer, d)];
}

// 256 threads. Grid: x counts tiles of 128 pixels, y tiles of 64 filters. `from` is the factor, or the images.
template <bool IMPLICIT>
__device__ void product(const float* __restrict__ from, const float* __restrict__ weights, float* __restrict__ out,
                        const Layer& layer) {
    // A step is 8 deep. The padding of 4 spreads what a warp stores over the banks.
    __shared__ __align__(16) float a[8][64 + 4], b[8][128];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, depth = layer.depth(), pixels = layer.pixels();
    unsigned first = blockIdx.y * 64, p = blockIdx.x * 128 + t % 128, k = first + t / 4;
    Pixel pixel = pixel_of(layer, from, IMPLICIT ? p : 0);
    if (p >= pixels) pixel.inside = 0;
    float next_a[2], next_b[4];
    auto bring = [&](unsigned q) {
#pragma unroll
        for (unsigned i = 0; i < 2; i++) {
            unsigned d = q + t % 4 * 2 + i;
            next_a[i] = k < layer.filters && d < depth ? weights[(size_t)k * depth + d] : 0.0f;
        }
#pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            unsigned d = q + t / 128 + 2 * i;
            if (IMPLICIT)
                next_b[i] = pixel[row_of(layer, d)];
            else
                next_b[i] = p < pixels && d < depth ? from[(size_t)d * pixels + p] : 0.0f;
        }
    };
    float sum[8][4] = {};
    bring(0);
    for (unsigned q = 0; q < depth; q += 8) {
        __syncthreads();  // the step before has been used
#pragma unroll
        for (unsigned i = 0; i < 2; i++) a[t % 4 * 2 + i][t / 4] = next_a[i];
#pragma unroll
        for (unsigned i = 0; i < 4; i++) b[t / 128 + 2 * i][t % 128] = next_b[i];
        __syncthreads();
        if (q + 8 < depth) bring(q + 8);
#pragma unroll
        for (unsigned d = 0; d < 8; d++) {
            float4 low = *(const float4*)&a[d][warp * 8], high = *(const float4*)&a[d][warp * 8 + 4];
            float4 v = *(const float4*)&b[d][lane * 4];
            float w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
            for (unsigned i = 0; i < 8; i++) {
                sum[i][0] += w[i] * v.x;
                sum[i][1] += w[i] * v.y;
                sum[i][2] += w[i] * v.z;
                sum[i][3] += w[i] * v.w;
            }
        }
    }
#pragma unroll
    for (unsigned j = 0; j < 4; j++) {
        unsigned mine = blockIdx.x * 128 + lane * 4 + j;
        if (mine >= pixels) return;
        float* to = result_of(layer, out, mine);
#pragma unroll
        for (unsigned i = 0; i < 8; i++) {
            unsigned filter = first + warp * 8 + i;
            if (filter < layer.filters) to[(size_t)filter * layer.area()] = sum[i][j];
        }
    }
}

extern "C" __global__ __launch_bounds__(256) void layer_product(const float* factor, const float* weights, float* out,
                                                                Layer layer) {
    product<false>(factor, weights, out, layer);
}

extern "C" __global__ __launch_bounds__(256) void layer_implicit(const float* in, const float* weights, float* out,
                                                                 Layer layer) {
    product<true>(in, weights, out, layer);
}
