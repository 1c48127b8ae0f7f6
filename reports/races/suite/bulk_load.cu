// A bulk copy into shared memory, for which the threads wait after they have read.
// Race: __syncthreads() does not wait for the copy, so that threads may read before the data has arrived.
// Fix: all threads wait for the mbarrier before they read.
#include "common.cuh"
#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void reverse(const int *in, int *out) {
    __shared__ alignas(128) int tile[128];
    __shared__ uint64_t full;
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &full); // race
    }
    __syncthreads();
#ifndef RACY
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
#endif
    int value = tile[127 - t]; // race
#ifdef RACY
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
#endif
    out[t] = value;
}

int main() {
    std::vector<int> in = numbers(128), expected(in.rbegin(), in.rend());
    int *out = on_device(std::vector<int>(128));
    reverse<<<1, 128>>>(on_device(in), out);
    return answer(on_host(out, 128) == expected);
}
