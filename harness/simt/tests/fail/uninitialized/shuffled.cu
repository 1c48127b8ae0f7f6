// launch: sum<<<1, 32>>>(y: u32[1], 20, 1)
// The last lanes have nothing to add to the sum, but add their value anyway.
extern "C" __global__ void sum(unsigned* y, int n, int step) {
    volatile unsigned own[2];
    int t = threadIdx.x;
    if (t < n) own[t & step] = t;
    unsigned value = own[t & step];
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
    if (t == 0) *y = value;
}
