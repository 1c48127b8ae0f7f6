// A flag between two blocks with a fence of block scope.
// Race: __threadfence_block() orders the data before the flag for threads of its own block only.
// Fix: __threadfence().
#include "common.cuh"

#ifdef RACY
#define FENCE __threadfence_block
#else
#define FENCE __threadfence
#endif

__global__ void pass(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42; // race
        FENCE();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        FENCE();
        *out = *data; // race
    }
}

int main() {
    int *out = on_device(std::vector<int>(1));
    pass<<<2, 1>>>(on_device(std::vector<int>(1)), on_device(std::vector<int>(1)), out);
    return answer(on_host(out, 1)[0] == 42);
}
