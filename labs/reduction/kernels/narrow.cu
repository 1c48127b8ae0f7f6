// Sums of n numbers of 16 bits.
//
//   1  half          5 bits of exponent and 10 of fraction, added in float
//   2  bfloat16      8 and 7: the upper half of a float, added in float
//   3  half-in-half  like 1, but a thread adds in half: above 2048 the numbers of that format lie 2 apart, so that a sum
//                    of ones stands still there
//
// Every kernel takes (x, total, n): x is 16-byte aligned, n has 64 bits, and *total is 0 beforehand. Blocks of whole warps.

#include "index.cuh"

typedef unsigned short bits16;

__device__ float from_half(bits16 h) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

struct Half {
    typedef float Sum;
    static __device__ Sum add(Sum s, bits16 x) { return s + from_half(x); }
    static __device__ float value(Sum s) { return s; }
};

struct Bfloat16 {
    typedef float Sum;
    static __device__ Sum add(Sum s, bits16 x) { return s + __uint_as_float((unsigned)x << 16); }
    static __device__ float value(Sum s) { return s; }
};

struct HalfInHalf {
    typedef bits16 Sum;
    static __device__ Sum add(Sum s, bits16 x) {
        asm("add.f16 %0, %0, %1;" : "+h"(s) : "h"(x));
        return s;
    }
    static __device__ float value(Sum s) { return from_half(s); }
};

template <class Format>
__device__ typename Format::Sum add_two(typename Format::Sum s, unsigned two) {
    return Format::add(Format::add(s, (bits16)two), (bits16)(two >> 16));
}

// As in `vectorized`: a block takes whole tiles, and a thread issues eight loads of eight numbers before it uses the first.
template <class Format>
__device__ void narrow(const bits16* x, float* total, size_t n) {
    constexpr int words = 8;
    const uint4* x8 = (const uint4*)x;
    size_t tile = (size_t)words * blockDim.x; // in 16-byte words
    size_t tiles = n / 8 / tile;
    typename Format::Sum s = 0;
    for (size_t at = blockIdx.x; at < tiles; at += gridDim.x) {
        uint4 w[words];
#pragma unroll
        for (int k = 0; k < words; k++) w[k] = x8[at * tile + k * blockDim.x + threadIdx.x];
#pragma unroll
        for (int k = 0; k < words; k++) {
            s = add_two<Format>(add_two<Format>(s, w[k].x), w[k].y);
            s = add_two<Format>(add_two<Format>(s, w[k].z), w[k].w);
        }
    }
    for (size_t i = tiles * tile * 8 + grid_index(); i < n; i += grid_threads()) s = Format::add(s, x[i]);

    __shared__ float of_block;
    if (threadIdx.x == 0) of_block = 0.0f;
    __syncthreads();
    float v = Format::value(s);
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&of_block, v);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, of_block);
}

extern "C" __global__ void half_sum(const bits16* x, float* total, size_t n) { narrow<Half>(x, total, n); }
extern "C" __global__ void bfloat16_sum(const bits16* x, float* total, size_t n) { narrow<Bfloat16>(x, total, n); }
extern "C" __global__ void half_in_half_sum(const bits16* x, float* total, size_t n) { narrow<HalfInHalf>(x, total, n); }
