// The depth of a product in slices: who adds up which, and where the sums go.
#pragma once

// The part of the depth that is the turn of number `t`, where `slices` turns make a tile. Without SLICED it is all of it.
template <bool SLICED>
struct Slice {
    unsigned from, to, number;

    __device__ Slice(unsigned t, unsigned slices, unsigned k, unsigned step) : from(0), to(k), number(0) {
        if constexpr (SLICED) {
            unsigned long long steps = (k + step - 1) / step;
            number = t % slices;
            from = steps * number / slices * step;
            to = steps * (number + 1) / slices * step;
        }
    }

    // Where the slice's sums go: each has a matrix of its own.
    __device__ float* place(float* sums, unsigned m, unsigned n) const {
        return SLICED ? sums + (size_t)number * m * n : sums;
    }
};

// C = the sum of the slices' matrices, of so many elements each, in the slices' order. A thread has an element.
extern "C" __global__ void add_slices(const float* sums, float* C, unsigned long long elements, unsigned slices) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= elements) return;
    float all = 0;
#pragma unroll 16
    for (unsigned slice = 0; slice < slices; slice++) all += sums[slice * elements + i];
    C[i] = all;
}
