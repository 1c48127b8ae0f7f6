// A pipeline of two stages by cp.async, which refills a stage that other warps still read.
// Race: the copy of tile k + 2 writes the stage from which slower warps read tile k.
// Fix: __syncthreads() between the reads of a stage and the copy that refills it.
#include "common.cuh"
#include <cuda_pipeline.h>

__global__ void sums(const int *in, int *out, int tiles) {
    __shared__ int stage[2][128];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&stage[k][t], &in[k * 128 + t], sizeof(int));
        __pipeline_commit();
    }
    for (int k = 0; k < tiles; k++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += stage[k % 2][127 - t]; // race
#ifndef RACY
        __syncthreads();
#endif
        if (k + 2 < tiles) __pipeline_memcpy_async(&stage[k % 2][t], &in[(k + 2) * 128 + t], sizeof(int)); // race
        __pipeline_commit();
    }
    out[t] = sum;
}

int main() {
    const int tiles = 16;
    std::vector<int> in = numbers(tiles * 128), expected(128);
    for (int i = 0; i < tiles * 128; i++) expected[127 - i % 128] += in[i];
    int *out = on_device(std::vector<int>(128));
    sums<<<1, 128>>>(on_device(in), out, tiles);
    return answer(on_host(out, 128) == expected);
}
