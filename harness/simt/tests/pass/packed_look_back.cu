// launch: scan<<<40, 32>>>(x: u32[1280] = 1, state: u64[40], next: u32[1], y: u32[1280])
// Flag and value in one word of 64 bits, so that no fence is needed.
extern "C" __global__ void scan(const unsigned* x, volatile unsigned long long* state, unsigned* next, unsigned* y) {
    int l = threadIdx.x;
    unsigned b = 0;
    if (l == 0) b = atomicAdd(next, 1u);
    b = __shfl_sync(0xffffffffu, b, 0);
    unsigned v = x[b * 32 + l];
    for (int d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(0xffffffffu, v, d);
        if (l >= d) v += left;
    }
    unsigned before = 0;
    if (l == 31) {
        if (b > 0) {
            unsigned long long word;
            do word = state[b - 1]; while (word >> 32 == 0);
            before = (unsigned)word;
        }
        state[b] = 1ull << 32 | (before + v);
    }
    before = __shfl_sync(0xffffffffu, before, 31);
    y[b * 32 + l] = before + v;
}
