// A flag to which many threads store the same value, as in breadth-first search.
// Race: the stores are not ordered. The answer is right on every GPU so far, but the memory model does not promise it.
// Fix: an atomic store.
#include "common.cuh"

__global__ void any_above(const int *in, int limit, int *changed) {
    if (in[blockIdx.x * blockDim.x + threadIdx.x] > limit) {
#ifdef RACY
        *changed = 1; // race
#else
        atomicExch(changed, 1);
#endif
    }
}

int main() {
    int *changed = on_device(std::vector<int>(1));
    any_above<<<8, 128>>>(on_device(numbers(8 * 128)), 500, changed);
    return answer(on_host(changed, 1)[0] == 1);
}
