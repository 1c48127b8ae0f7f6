// A bulk copy out of shared memory without a fence between the proxies.
// Race: the copy runs in the asynchronous proxy, for which the threads' stores are not ordered by a barrier alone.
// Fix: fence.proxy.async by each thread that has stored, before the barrier.
#include "common.cuh"
#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void twice(const int *in, int *out) {
    __shared__ alignas(128) int tile[128];
    int t = threadIdx.x;
    tile[t] = in[t] * 2; // race
#ifndef RACY
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile); // race
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

int main() {
    std::vector<int> in = numbers(128), expected(128);
    for (int i = 0; i < 128; i++) expected[i] = in[i] * 2;
    int *out = on_device(std::vector<int>(128));
    twice<<<1, 128>>>(on_device(in), out);
    return answer(on_host(out, 128) == expected);
}
