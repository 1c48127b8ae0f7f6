// The sum of many numbers, in two ways: a tree in shared memory, and shuffles within each warp. The whole program.
//
// Compile and run:  warplab nvcc program.cu -o reduction && warplab exec ./reduction 100000
// run: 100000
#include <cstdio>
#include <cstdlib>

const int THREADS = 256;

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// What one thread adds up: every element that is a whole grid further on.
__device__ int own_sum(const int *x, int n) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    return sum;
}

// The block's sum by a tree: half of the threads add, then a quarter of them, and so on.
__global__ void tree(const int *x, int n, int *block_sums) {
    __shared__ int sums[THREADS];
    sums[threadIdx.x] = own_sum(x, n);
    for (int half = THREADS / 2; half > 0; half /= 2) {
        // All threads come here, also those that have nothing more to add.
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) block_sums[blockIdx.x] = sums[0];
}

// The sum over a warp; lane 0 gets it.
__device__ int warp_sum(int value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

// The block's sum by shuffles: each warp leaves its sum in shared memory, and the first warp adds those.
__global__ void shuffles(const int *x, int n, int *block_sums) {
    __shared__ int warp_sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = warp_sum(own_sum(x, n));
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < blockDim.x / 32 ? warp_sums[lane] : 0);
        if (lane == 0) block_sums[blockIdx.x] = sum;
    }
}

// Runs one of the kernels, and adds up the sums of its blocks on the host.
static long long total(void (*kernel)(const int *, int, int *), const int *x, int n) {
    const int blocks = 16;
    int *block_sums, host[blocks];
    check(cudaMalloc(&block_sums, sizeof host), "memory for the sums");
    kernel<<<blocks, THREADS>>>(x, n, block_sums);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(host, block_sums, sizeof host, cudaMemcpyDeviceToHost), "copy of the sums");
    check(cudaFree(block_sums), "free");
    long long sum = 0;
    for (int block = 0; block < blocks; block++) sum += host[block];
    return sum;
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: %s NUMBERS\n", argv[0]);
        return 2;
    }
    int *x = (int *)malloc(n * sizeof(int)), *device_x;
    long long expected = 0;
    for (int i = 0; i < n; i++) expected += x[i] = i % 100 - 20;
    check(cudaMalloc(&device_x, n * sizeof(int)), "memory for the numbers");
    check(cudaMemcpy(device_x, x, n * sizeof(int), cudaMemcpyHostToDevice), "copy of the numbers");

    long long by_tree = total(tree, device_x, n), by_shuffles = total(shuffles, device_x, n);
    printf("expected %lld, by a tree %lld, by shuffles %lld\n", expected, by_tree, by_shuffles);

    check(cudaFree(device_x), "free");
    free(x);
    return by_tree == expected && by_shuffles == expected ? 0 : 1;
}
