// The layer of layer.cuh on the tensor cores: compute capability 8.0 and later.
//
//  layer_tf32  like layer_implicit in layer.cu, with factors rounded to TF32 (11 bits): one mma.sync multiplies 16 filters
//              by 8 pixels, 8 deep. A block of 8 warps has 64 filters and 128 pixels, and a warp 32 x 32 of them.
//
// A step is 16 deep, and two of them are in shared memory. While one is multiplied, the elements of the next travel to
// registers. All threads that load the same row of the right factor need the same offset: a few threads compute the
// offsets of a step in advance. The paddings 20 and 136 give each lane of a fragment its own bank.
// target: compute_80
#include "layer.cuh"

#define DEPTH 16

// The nearest TF32; ties are rounded away from zero.
__device__ unsigned tf32_of(float x) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}

__device__ void mma(float c[4], const unsigned a[4], const unsigned b[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Grid: x counts tiles of 128 pixels, y tiles of 64 filters.
extern "C" __global__ __launch_bounds__(256) void layer_tf32(const float* __restrict__ in,
                                                             const float* __restrict__ weights,
                                                             float* __restrict__ out, Layer layer) {
    __shared__ unsigned a[2][64][DEPTH + 4], b[2][DEPTH][128 + 8];
    __shared__ Row rows[2][DEPTH];
    unsigned t = threadIdx.x, depth = layer.depth(), steps = (depth + DEPTH - 1) / DEPTH;
    unsigned k = blockIdx.y * 64 + t / 4;
    Pixel pixel = pixel_of(layer, in, blockIdx.x * 128 + t % 128);
    float next_a[4], next_b[DEPTH / 2];
    auto bring = [&](unsigned step) {
#pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            unsigned d = step * DEPTH + t % 4 * 4 + i;
            next_a[i] = k < layer.filters && d < depth ? weights[(size_t)k * depth + d] : 0.0f;
        }
#pragma unroll
        for (unsigned i = 0; i < DEPTH / 2; i++) next_b[i] = pixel[rows[step % 2][t / 128 + 2 * i]];
    };
    float sum[2][4][4] = {};
    unsigned lane = t % 32, g = lane / 4, l = lane % 4, y = t / 128 * 32, x = t / 32 % 4 * 32;
    if (t < 2 * DEPTH) rows[t / DEPTH][t % DEPTH] = row_of(layer, t);
    __syncthreads();
    bring(0);
    for (unsigned step = 0; step < steps; step++) {
        unsigned s = step % 2;
#pragma unroll
        for (unsigned i = 0; i < 4; i++) a[s][t / 4][t % 4 * 4 + i] = tf32_of(next_a[i]);
#pragma unroll
        for (unsigned i = 0; i < DEPTH / 2; i++) b[s][t / 128 + 2 * i][t % 128] = tf32_of(next_b[i]);
        // From here on this step is there, and the one before has been multiplied: its place is free.
        __syncthreads();
        if (step + 1 < steps) bring(step + 1);
        if (t < DEPTH) rows[s][t] = row_of(layer, (step + 2) * DEPTH + t);
#pragma unroll
        for (unsigned q = 0; q < DEPTH; q += 8) {
            unsigned of_a[2][4], of_b[4][2];
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
#pragma unroll
                for (unsigned j = 0; j < 4; j++) of_a[i][j] = a[s][y + i * 16 + j % 2 * 8 + g][q + j / 2 * 4 + l];
#pragma unroll
            for (unsigned i = 0; i < 4; i++)
#pragma unroll
                for (unsigned j = 0; j < 2; j++) of_b[i][j] = b[s][q + j * 4 + l][x + i * 8 + g];
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
#pragma unroll
                for (unsigned j = 0; j < 4; j++) mma(sum[i][j], of_a[i], of_b[j]);
        }
    }
#pragma unroll
    for (unsigned j = 0; j < 4; j++)
#pragma unroll
        for (unsigned e = 0; e < 2; e++) {
            unsigned p = blockIdx.x * 128 + x + j * 8 + l * 2 + e;
            if (p >= layer.pixels()) continue;
            float* to = result_of(layer, out, p);
#pragma unroll
            for (unsigned i = 0; i < 4; i++) {
                unsigned filter = blockIdx.y * 64 + y + i / 2 * 16 + i % 2 * 8 + g;
                if (filter < layer.filters) to[(size_t)filter * layer.area()] = sum[i / 2][j][i % 2 * 2 + e];
            }
        }
}
