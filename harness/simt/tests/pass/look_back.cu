// launch: scan<<<50, 32>>>(x: u32[1600] = 1, state: u32[50], total: u32[50], next: u32[1], y: u32[1600])
// A single-pass scan: blocks take their number from a counter and look back over what the earlier ones have published.
extern "C" __global__ void scan(const unsigned* x, volatile unsigned* state, unsigned* total, unsigned* next, unsigned* y) {
    __shared__ unsigned s_block, s_before;
    int l = threadIdx.x;
    if (l == 0) s_block = atomicAdd(next, 1u);
    __syncwarp();
    unsigned b = s_block, v = x[b * 32 + l];
    for (int d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(0xffffffffu, v, d);
        if (l >= d) v += left;
    }
    if (l == 31) {
        unsigned before = 0;
        if (b > 0) {
            while (state[b - 1] == 0) {}
            __threadfence();
            before = total[b - 1];
        }
        total[b] = before + v;
        __threadfence();
        state[b] = 1;
        s_before = before;
    }
    __syncwarp();
    y[b * 32 + l] = s_before + v;
}
