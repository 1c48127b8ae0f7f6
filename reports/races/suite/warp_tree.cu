// The last levels of a tree in one warp, which rely on lanes in lockstep.
// Race: since Volta the lanes of a warp may run apart, and a lane may read a sum before another lane has written it.
// Fix: __syncwarp() after each level.
#include "common.cuh"

__global__ void sum(const int *in, int *out) {
    __shared__ int part[32];
    int lane = threadIdx.x;
    part[lane] = in[blockIdx.x * 32 + lane];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        if (lane < half) part[lane] += part[lane + half]; // race
#ifndef RACY
        __syncwarp();
#endif
    }
    if (lane == 0) out[blockIdx.x] = part[0];
}

int main() {
    std::vector<int> in = numbers(4 * 32), expected(4);
    for (int i = 0; i < 4 * 32; i++) expected[i / 32] += in[i];
    int *out = on_device(std::vector<int>(4));
    sum<<<4, 32>>>(on_device(in), out);
    return answer(on_host(out, 4) == expected);
}
