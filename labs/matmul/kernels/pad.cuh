#pragma once

// Copies a matrix of `columns` columns to rows of `stride` floats, 4 at a time.
extern "C" __global__ void pad(const float* from, float* to, unsigned rows, unsigned columns, unsigned stride) {
    size_t all = (size_t)rows * (stride / 4);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all; i += (size_t)gridDim.x * blockDim.x) {
        size_t row = i / (stride / 4);
        unsigned column = i % (stride / 4) * 4;
        const float* f = from + row * columns + column;
        auto at = [&](unsigned c) { return column + c < columns ? f[c] : 0.0f; };
        *(float4*)&to[row * stride + column] = make_float4(at(0), at(1), at(2), at(3));
    }
}
