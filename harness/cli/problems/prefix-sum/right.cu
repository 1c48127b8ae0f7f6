// Like the reference, but the lanes of a warp exchange registers.
// launch: scan_blocks<<<ceil_div(n, 256), 256>>>(x, prefix, sums, n)
// launch: scan_sums<<<1, 256>>>(sums, ceil_div(n, 256))
// launch: add_sums<<<ceil_div(n, 256), 256>>>(prefix, sums, n)
__device__ unsigned scan_warp(unsigned sum) {
    for (int back = 1; back < 32; back *= 2) {
        unsigned before = __shfl_up_sync(~0u, sum, back);
        sum += threadIdx.x % 32 >= back ? before : 0;
    }
    return sum;
}

__device__ unsigned scan(unsigned mine) {
    __shared__ unsigned warps[8];
    unsigned sum = scan_warp(mine);
    if (threadIdx.x % 32 == 31) {
        warps[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    for (int warp = 0; warp < threadIdx.x / 32; warp++) {
        sum += warps[warp];
    }
    return sum;
}

extern "C" __global__ void scan_blocks(const unsigned* x, unsigned* prefix, unsigned* sums, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    unsigned sum = scan(i < n ? x[i] : 0);
    if (i < n) {
        prefix[i] = sum;
    }
    if (threadIdx.x == 255) {
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
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n && blockIdx.x > 0) {
        prefix[i] += sums[blockIdx.x - 1];
    }
}
