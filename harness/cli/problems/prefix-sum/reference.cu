// The blocks scan 256 elements each; then one block scans their sums, which are at most 256; then they are added.
// launch: scan_blocks<<<ceil_div(n, 256), 256>>>(x, prefix, sums, n)
// launch: scan_sums<<<1, 256>>>(sums, ceil_div(n, 256))
// launch: add_sums<<<ceil_div(n, 256), 256>>>(prefix, sums, n)
constexpr int THREADS = 256;

__device__ unsigned scan(unsigned mine) {
    __shared__ unsigned partial[THREADS];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int back = 1; back < THREADS; back *= 2) {
        unsigned before = threadIdx.x >= back ? partial[threadIdx.x - back] : 0;
        __syncthreads();
        partial[threadIdx.x] += before;
        __syncthreads();
    }
    return partial[threadIdx.x];
}

extern "C" __global__ void scan_blocks(const unsigned* x, unsigned* prefix, unsigned* sums, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned sum = scan(i < n ? x[i] : 0);
    if (i < n) {
        prefix[i] = sum;
    }
    if (threadIdx.x == THREADS - 1) {
        sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void scan_sums(unsigned* sums, int blocks) {
    unsigned sum = scan(threadIdx.x < blocks ? sums[threadIdx.x] : 0);
    if (threadIdx.x < blocks) {
        sums[threadIdx.x] = sum;
    }
}

extern "C" __global__ void add_sums(unsigned* prefix, const unsigned* sums, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && blockIdx.x > 0) {
        prefix[i] += sums[blockIdx.x - 1];
    }
}
