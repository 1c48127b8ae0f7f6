// A ring buffer with indices of system scope, whose consumer frees slots by a relaxed store.
// Race: the producer may overwrite a slot before the consumer's load of it.
// Fix: a store with release semantics after the load.
#include "common.cuh"
#include <cuda/atomic>

using Index = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

#ifdef RACY
#define FREE cuda::memory_order_relaxed
#else
#define FREE cuda::memory_order_release
#endif

__global__ void stream(const int *in, int *slots, unsigned *head, unsigned *tail, int *out, unsigned n) {
    if (blockIdx.x == 0) {
        for (unsigned i = 0; i < n; i++) {
            while (i - Index(*tail).load(cuda::memory_order_acquire) == 4) {}
            slots[i % 4] = in[i]; // race
            Index(*head).store(i + 1, cuda::memory_order_release);
        }
    } else {
        for (unsigned i = 0; i < n; i++) {
            while (Index(*head).load(cuda::memory_order_acquire) == i) {}
            out[i] = slots[i % 4]; // race
            Index(*tail).store(i + 1, FREE);
        }
    }
}

int main() {
    std::vector<int> in = numbers(100);
    int *out = on_device(std::vector<int>(100));
    unsigned *head = on_device(std::vector<unsigned>(1)), *tail = on_device(std::vector<unsigned>(1));
    stream<<<2, 1>>>(on_device(in), on_device(std::vector<int>(4)), head, tail, out, 100);
    return answer(on_host(out, 100) == in);
}
