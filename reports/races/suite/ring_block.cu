// A ring buffer in shared memory between two warps, whose head is published by a relaxed store.
// Race: the store of the head may become visible before that of the slot.
// Fix: a store with release semantics, of block scope.
#include "common.cuh"
#include <cuda/atomic>

using Index = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

#ifdef RACY
#define PUBLISH cuda::memory_order_relaxed
#else
#define PUBLISH cuda::memory_order_release
#endif

__global__ void stream(const int *in, int *out, unsigned n) {
    __shared__ int slots[4];
    __shared__ unsigned head, tail;
    if (threadIdx.x == 0) head = tail = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < n; i++) {
            while (i - Index(tail).load(cuda::memory_order_acquire) == 4) {}
            slots[i % 4] = in[i]; // race
            Index(head).store(i + 1, PUBLISH);
        }
    } else if (threadIdx.x == 32) {
        for (unsigned i = 0; i < n; i++) {
            while (Index(head).load(cuda::memory_order_acquire) == i) {}
            out[i] = slots[i % 4]; // race
            Index(tail).store(i + 1, cuda::memory_order_release);
        }
    }
}

int main() {
    std::vector<int> in = numbers(100);
    int *out = on_device(std::vector<int>(100));
    stream<<<1, 64>>>(on_device(in), out, 100);
    return answer(on_host(out, 100) == in);
}
