// A bitonic sort whose first passes, in which elements are less than 512 apart, stay in shared memory.
// launch: first<<<ceil_div(pow2(ceil_log2(n)), 512), 256>>>(keys, work, n, pow2(ceil_log2(n)))
// launch: for s in 10..ceil_log2(n) + 1: for t in 1..s + 1: step<<<ceil_div(pow2(ceil_log2(n)), 256), 256>>>(work, pow2(ceil_log2(n)), pow2(s), pow2(s - t))
// launch: store<<<ceil_div(n, 256), 256>>>(work, sorted, n)
constexpr int TILE = 512;

__device__ void order(int* a, int* b, bool is_ascending) {
    int low = *a, high = *b;
    if ((low > high) == is_ascending) {
        *a = high;
        *b = low;
    }
}

extern "C" __global__ void first(const int* keys, int* work, int n, int all) {
    __shared__ int tile[TILE];
    int start = blockIdx.x * TILE;
    for (int i = threadIdx.x; i < TILE; i += blockDim.x) {
        tile[i] = start + i < n ? keys[start + i] : 0x7fffffff;
    }
    __syncthreads();
    for (int run = 2; run <= TILE; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            int i = 2 * distance * (threadIdx.x / distance) + threadIdx.x % distance;
            order(&tile[i], &tile[i + distance], ((start + i) & run) == 0);
            __syncthreads();
        }
    }
    for (int i = threadIdx.x; i < TILE; i += blockDim.x) {
        if (start + i < all) {
            work[start + i] = tile[i];
        }
    }
}

extern "C" __global__ void step(int* work, int all, int run, int distance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < all && i < (i ^ distance)) {
        order(&work[i], &work[i ^ distance], (i & run) == 0);
    }
}

extern "C" __global__ void store(const int* work, int* sorted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sorted[i] = work[i];
    }
}
