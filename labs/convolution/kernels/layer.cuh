// What the kernels of a layer share. A layer has `filters` masks of 3 x 3 for each of `channels` planes: a result is the
// sum over all planes. in: images x channels x height x width floats, weights: filters x channels x 3 x 3,
// out: images x filters x height x width. Beyond the edges of a plane the input counts as 0.
//
// As a product of matrices: row d = 9 c + 3 i + j of the right factor belongs to channel c and place (i, j) of a mask,
// and its column p to the pixel p of all images. The left factor is weights, as it lies.
#pragma once

struct Layer {
    unsigned images, channels, filters, height, width;
    __device__ unsigned area() const { return height * width; }
    __device__ unsigned pixels() const { return images * area(); }
    __device__ unsigned depth() const { return 9 * channels; }
};

// A row of the right factor: how far its elements lie from the pixels of channel 0, and its place in the mask.
struct Row {
    int offset;
    unsigned place;
};

// A place beyond the last: no pixel has it.
const unsigned NOWHERE = 9;

__device__ inline Row row_of(const Layer& layer, unsigned d) {
    unsigned place = d % 9;
    if (d >= layer.depth()) return {0, NOWHERE};
    int up = (int)(place / 3) - 1, left = (int)(place % 3) - 1;
    return {(int)(d / 9 * layer.area()) + up * (int)layer.width + left, place};
}

// A column of the right factor: the pixel in channel 0, and a bit for each place of the mask that is inside the plane.
struct Pixel {
    const float* at;
    unsigned inside;
    __device__ float operator[](Row row) const { return inside >> row.place & 1 ? at[row.offset] : 0.0f; }
};

__device__ inline Pixel pixel_of(const Layer& layer, const float* in, unsigned p) {
    if (p >= layer.pixels()) return {in, 0};
    unsigned image = p / layer.area(), rest = p % layer.area(), y = rest / layer.width, x = rest % layer.width;
    unsigned inside = 0;
#pragma unroll
    for (unsigned place = 0; place < 9; place++) {
        bool is = y + place / 3 - 1 < layer.height && x + place % 3 - 1 < layer.width;
        inside |= (unsigned)is << place;
    }
    return {in + (size_t)image * layer.channels * layer.area() + rest, inside};
}

// Where the result of a pixel for filter 0 goes.
__device__ inline float* result_of(const Layer& layer, float* out, unsigned p) {
    return out + (size_t)(p / layer.area()) * layer.filters * layer.area() + p % layer.area();
}
