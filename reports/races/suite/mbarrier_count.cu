// An mbarrier that expects the arrival of one producer warp, where there are two.
// Race: the barrier completes without the second warp, so that the consumer may read before that warp has written.
// Fix: an arrival of each producer warp, and a barrier that expects both.
#include "common.cuh"
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void gather(const int *in, int *out) {
    __shared__ int tile[64];
    __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
    Barrier *full = (Barrier *)storage;
    int t = threadIdx.x;
#ifdef RACY
    const int producers = 1;
#else
    const int producers = 2;
#endif
    if (t == 0) init(full, producers);
    __syncthreads();
    if (t < 64) {
        tile[t] = in[t]; // race
        __syncwarp();
        if (t % 32 == 0 && t / 32 < producers) (void)full->arrive();
    } else {
        full->wait_parity(0);
        out[t - 64] = tile[127 - t]; // race
    }
}

int main() {
    std::vector<int> in = numbers(64), expected(in.rbegin(), in.rend());
    int *out = on_device(std::vector<int>(64));
    gather<<<1, 128>>>(on_device(in), out);
    return answer(on_host(out, 64) == expected);
}
