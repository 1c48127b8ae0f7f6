// A sum of which the last block adds up the parts, without a fence before the ticket.
// Race: the part of a block may not be visible yet when its ticket is.
// Fix: __threadfence() between the store of the part and the ticket, and between the ticket and the loads.
#include "common.cuh"

__global__ void sum(const int *in, int *parts, unsigned *tickets, int *total) {
    __shared__ bool last;
    int part = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 64; i++) part += in[blockIdx.x * 64 + i];
        parts[blockIdx.x] = part; // race
#ifndef RACY
        __threadfence();
#endif
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
#ifndef RACY
        __threadfence();
#endif
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) atomicAdd(total, parts[threadIdx.x]); // race
}

int main() {
    std::vector<int> in = numbers(16 * 64), expected(1);
    for (int value : in) expected[0] += value;
    int *total = on_device(std::vector<int>(1));
    sum<<<16, 64>>>(on_device(in), on_device(std::vector<int>(16)), on_device(std::vector<unsigned>(1)), total);
    return answer(on_host(total, 1) == expected);
}
