// cp.async into shared memory, and a barrier without a wait for the copies.
// Race: a barrier does not wait for asynchronous copies, so that threads may read before the data has arrived.
// Fix: __pipeline_wait_prior(0) before the barrier.
#include "common.cuh"
#include <cuda_pipeline.h>

__global__ void reverse(const int4 *in, int *out) {
    __shared__ int4 tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int4)); // race
    __pipeline_commit();
#ifndef RACY
    __pipeline_wait_prior(0);
#endif
    __syncthreads();
    out[t] = tile[63 - t].x; // race
}

int main() {
    std::vector<int> values = numbers(256), expected(64);
    std::vector<int4> in(64);
    for (int i = 0; i < 64; i++) in[i] = {values[i], values[i + 64], values[i + 128], values[i + 192]};
    for (int i = 0; i < 64; i++) expected[i] = in[63 - i].x;
    int *out = on_device(std::vector<int>(64));
    reverse<<<1, 64>>>(on_device(in), out);
    return answer(on_host(out, 64) == expected);
}
