// Blocks that communicate: the last block to arrive finishes, fences order writes, flags hand on, clocks.
#include "common.cuh"

__device__ unsigned arrived;
__device__ volatile int flags[8];
__device__ volatile int values[8];

// Each block leaves a sum; the last one to arrive adds them up.
__global__ void last_block_adds(const int *x, int n, int *sums, int *total) {
    __shared__ bool is_last;
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i];
    atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0) {
        ((volatile int *)sums)[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        int all = 0;
        for (int block = 0; block < gridDim.x; block++) all += ((volatile int *)sums)[block];
        *total = all;
    }
}

// Block i waits for block i - 1, which began before it.
__global__ void hand_on() {
    if (threadIdx.x != 0) return;
    int i = blockIdx.x, value = 0;
    if (i > 0) {
        while (atomicAdd((int *)&flags[i - 1], 0) == 0) __nanosleep(20);
        __threadfence();
        value = values[i - 1];
    }
    values[i] = value + i + 1;
    __threadfence();
    atomicExch((int *)&flags[i], 1);
}

__global__ void clocks(int *is_right) {
    long long before = clock64();
    unsigned time;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(time));
    __nanosleep(100);
    long long after = clock64();
    *is_right = after > before && clock() != 0;
    __threadfence_system();
    __threadfence_block();
}

int main() {
    const int n = 5000;
    int x[n], *device_x, *sums, *total, found, expected = 0;
    for (int i = 0; i < n; i++) expected += x[i] = i % 17;
    OK(cudaMalloc(&device_x, sizeof x));
    OK(cudaMalloc(&sums, 8 * sizeof(int)));
    OK(cudaMalloc(&total, sizeof(int)));
    OK(cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice));
    for (int round = 0; round < 3; round++) {
        OK(cudaMemset(total, 0, sizeof(int)));
        last_block_adds<<<8, 128>>>(device_x, n, sums, total);
        OK(cudaMemcpy(&found, total, sizeof found, cudaMemcpyDeviceToHost));
        IS(found == expected);
    }
    hand_on<<<8, 32>>>();
    int handed[8];
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(handed, values, sizeof handed));
    for (int i = 0; i < 8; i++) IS(handed[i] == (i + 1) * (i + 2) / 2);
    clocks<<<1, 1>>>(total);
    OK(cudaMemcpy(&found, total, sizeof found, cudaMemcpyDeviceToHost));
    IS(found == 1);
    OK(cudaFree(device_x));
    OK(cudaFree(sums));
    OK(cudaFree(total));
    puts("fences are right");
}
