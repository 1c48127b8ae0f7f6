// A bitonic sort: each launch compares elements that are `distance` apart, in runs of `run` elements.
// launch: fill<<<ceil_div(pow2(ceil_log2(n)), 256), 256>>>(keys, work, n, pow2(ceil_log2(n)))
// launch: for s in 1..ceil_log2(n) + 1: for t in 1..s + 1: step<<<ceil_div(pow2(ceil_log2(n)), 256), 256>>>(work, pow2(ceil_log2(n)), pow2(s), pow2(s - t))
// launch: store<<<ceil_div(n, 256), 256>>>(work, sorted, n)
extern "C" __global__ void fill(const int* keys, int* work, int n, int all) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < all) {
        work[i] = i < n ? keys[i] : 0x7fffffff;
    }
}

extern "C" __global__ void step(int* work, int all, int run, int distance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int other = i ^ distance;
    if (i < all && i < other) {
        int low = work[i], high = work[other];
        bool is_ascending = (i & run) == 0;
        if ((low > high) == is_ascending) {
            work[i] = high;
            work[other] = low;
        }
    }
}

extern "C" __global__ void store(const int* work, int* sorted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sorted[i] = work[i];
    }
}
