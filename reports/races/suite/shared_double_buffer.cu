// Double buffering in shared memory with one barrier too few.
// Race: a warp stores tile k + 2 into the buffer from which slower warps still read tile k.
// Fix: a second __syncthreads() between the reads of a buffer and the stores that refill it.
#include "common.cuh"

__global__ void sums(const int *in, int *out, int tiles) {
    __shared__ int buffer[2][128];
    int t = threadIdx.x, sum = 0;
    buffer[0][t] = in[t];
    buffer[1][t] = in[128 + t];
    for (int k = 0; k < tiles; k++) {
        __syncthreads();
        sum += buffer[k % 2][127 - t]; // race
#ifndef RACY
        __syncthreads();
#endif
        if (k + 2 < tiles) buffer[k % 2][t] = in[(k + 2) * 128 + t]; // race
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
