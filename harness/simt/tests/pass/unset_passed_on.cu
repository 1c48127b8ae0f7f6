// launch: tile<<<1, 64>>>(a: u32[64], 40, 1)
// launch: exchanged<<<1, 32>>>(b: u32[32], 9, 1)
// launch: fields<<<1, 32>>>(c: u32[32], 1)
// What is not set goes through memory of the block and from lane to lane, but nothing depends on it.

// All of the threads' arrays are stored, of which only some elements are set, and only those are read.
extern "C" __global__ void tile(unsigned* out, int n, int step) {
    __shared__ unsigned kept[128];
    volatile unsigned own[2];
    int t = threadIdx.x;
    if (t < n) own[t & step] = t;
    kept[t] = own[0];
    kept[64 + t] = own[1];
    __syncthreads();
    int from = 63 - t;
    out[t] = from < n ? kept[64 * (from & step) + from] : 0;
}

// The lanes add up what is set; the others are read, too.
extern "C" __global__ void exchanged(unsigned* out, int n, int step) {
    volatile unsigned own[2];
    int t = threadIdx.x;
    if (t < n) own[t & step] = t + 1;
    unsigned value = own[t & step], sum = 0;
    for (int k = 0; k < 32; k++) {
        unsigned other = __shfl_sync(0xffffffffu, value, k);
        if (k < n) sum += other;
    }
    out[t] = sum;
}

struct Bits {
    unsigned a : 3, b : 5, c : 24;
};

// More words of which only some bits are set than the check follows at a time.
extern "C" __global__ void fields(unsigned* out, int step) {
    volatile Bits x[160];
    int i = threadIdx.x & step;
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 80; k++) x[2 * k + i].a = k;
#pragma unroll
    for (int k = 0; k < 80; k++) sum += x[2 * k + i].a << (k % 7);
    out[threadIdx.x] = sum;
}
