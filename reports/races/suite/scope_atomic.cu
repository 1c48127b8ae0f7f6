// A counter of the whole grid, changed by atomics of block scope.
// Race: atomicAdd_block() is atomic among the threads of one block, and the blocks lose each other's increments.
// Fix: atomicAdd(), whose scope is the device.
#include "common.cuh"

__global__ void count(const int *in, int *odd) {
    if (in[blockIdx.x * blockDim.x + threadIdx.x] % 2) {
#ifdef RACY
        atomicAdd_block(odd, 1); // race
#else
        atomicAdd(odd, 1);
#endif
    }
}

int main() {
    std::vector<int> in = numbers(8 * 128), expected(1);
    for (int value : in) expected[0] += value % 2;
    int *odd = on_device(std::vector<int>(1));
    count<<<8, 128>>>(on_device(in), odd);
    return answer(on_host(odd, 1) == expected);
}
