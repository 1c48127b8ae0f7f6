// launch: odd<<<4, 64>>>(x: u32[256] = index, state: u32[4], count: u32[1], 256)
// Odd numbers move to the front of their own array. A block writes only after the blocks before it have read: each sets a
// flag when it has, with the count that the next block goes on from. No fence is needed: what was read has come before
// the barrier.
extern "C" __global__ void odd(unsigned* x, volatile unsigned* state, unsigned* count, unsigned n) {
    __shared__ unsigned found[64], before;
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    unsigned value = i < n ? x[i] : 0;
    found[t] = value & 1;
    __syncthreads();
    unsigned rank = 0, all = 0;
    for (unsigned k = 0; k < 64; k++) {
        rank += k < t ? found[k] : 0;
        all += found[k];
    }
    if (t == 0) {
        unsigned sum = 0;
        if (blockIdx.x > 0)
            while ((sum = state[blockIdx.x - 1]) == 0) {}
        before = sum == 0 ? 0 : sum - 1;
        state[blockIdx.x] = before + all + 1;
        if (blockIdx.x == gridDim.x - 1) *count = before + all;
    }
    __syncthreads();
    if (value & 1) x[before + rank] = value;
}
