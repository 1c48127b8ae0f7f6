// launch: prefixes<<<1, 96>>>(y: u32[96], 7, 1)
// Whether a warp calls a function depends on what is not set in the first one, and the result is stored.
__device__ __noinline__ unsigned sum(unsigned a, unsigned b) { return a + b; }

extern "C" __global__ void prefixes(unsigned* y, unsigned first, int step) {
    volatile unsigned prefix[2];
    unsigned warp = threadIdx.x / 32;
    if (warp > 0) {
        prefix[0] = warp & 1;
        prefix[step] = warp;
    }
    unsigned value;
    if (prefix[0]) value = 100;
    else value = sum(first, warp);
    y[threadIdx.x] = value;
}
