// A producer warp and a consumer warp with two mbarriers, whose producer waits too late.
// Race: the producer stores the next tile before it waits for the consumer to have read the last one.
// Fix: the producer waits for `empty` before its store.
#include "common.cuh"
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void stream(const int *in, int *out, int tiles) {
    __shared__ int tile[32];
    __shared__ alignas(Barrier) char storage[2][sizeof(Barrier)];
    Barrier *full = (Barrier *)storage[0], *empty = (Barrier *)storage[1];
    if (threadIdx.x == 0) {
        init(full, 64);
        init(empty, 64);
    }
    __syncthreads();
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int k = 0; k < tiles; k++) {
#ifdef RACY
            tile[lane] = in[k * 32 + lane]; // race
            if (k > 0) empty->arrive_and_wait();
#else
            if (k > 0) empty->arrive_and_wait();
            tile[lane] = in[k * 32 + lane];
#endif
            (void)full->arrive();
        }
    } else {
        for (int k = 0; k < tiles; k++) {
            full->arrive_and_wait();
            out[k * 32 + lane] = tile[31 - lane]; // race
            if (k + 1 < tiles) (void)empty->arrive();
        }
    }
}

int main() {
    const int tiles = 16;
    std::vector<int> in = numbers(tiles * 32), expected(tiles * 32);
    for (int i = 0; i < tiles * 32; i++) expected[i] = in[i / 32 * 32 + 31 - i % 32];
    int *out = on_device(std::vector<int>(tiles * 32));
    stream<<<1, 64>>>(on_device(in), out, tiles);
    return answer(on_host(out, tiles * 32) == expected);
}
