// Barriers in shared memory: cuda::barrier between the warps of a block, with tokens, drops and a ring of buffers.
// nvcc: -arch=sm_90 -std=c++17
// device: h200
#include "common.cuh"
#include <cuda/barrier>
#include <utility>

// A barrier in shared memory is initialised by init.
#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Each thread gives its value to the thread opposite, round by round.
__global__ void exchange(int *values, int rounds) {
    __shared__ Barrier barrier;
    __shared__ int tile[128];
    int t = threadIdx.x;
    if (t == 0) init(&barrier, blockDim.x);
    __syncthreads();
    int value = values[t];
    for (int i = 0; i < rounds; i++) {
        tile[t] = value;
        auto token = barrier.arrive();
        barrier.wait(std::move(token));
        value += tile[blockDim.x - 1 - t];
        barrier.arrive_and_wait();
    }
    values[t] = value;
}

// Half of the threads leave after their part; the others go on without them.
__global__ void drop(int *sums) {
    __shared__ Barrier barrier;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, 1);
    if (threadIdx.x >= blockDim.x / 2) {
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    if (threadIdx.x == 0) sums[0] = sum;
    barrier.arrive_and_wait();
    atomicAdd(&sum, 1);
    barrier.arrive_and_wait();
    if (threadIdx.x == 0) sums[1] = sum;
}

// One warp fills a ring of two buffers, another empties it.
__global__ void ring(const int *from, int *to, int tiles) {
    __shared__ Barrier full[2], empty[2];
    __shared__ int buffer[2][32];
    int t = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 64);
        init(&empty[threadIdx.x], 64);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = 0; i < tiles; i++) {
            if (i >= 2) empty[i % 2].arrive_and_wait();
            buffer[i % 2][t] = from[i * 32 + t];
            (void)full[i % 2].arrive();
        }
    } else {
        for (int i = 0; i < tiles; i++) {
            full[i % 2].arrive_and_wait();
            to[i * 32 + t] = buffer[i % 2][31 - t];
            if (i + 2 < tiles) (void)empty[i % 2].arrive();
        }
    }
}

int main() {
    int host[512];
    int *a, *b;
    OK(cudaMalloc(&a, sizeof host));
    OK(cudaMalloc(&b, sizeof host));
    for (int i = 0; i < 512; i++) host[i] = i * i;
    OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    exchange<<<1, 128>>>(a, 4);
    OK(cudaMemcpy(host, a, 128 * sizeof *host, cudaMemcpyDeviceToHost));
    int expected[128], next[128];
    for (int i = 0; i < 128; i++) expected[i] = i * i;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 128; i++) next[i] = expected[i] + expected[127 - i];
        for (int i = 0; i < 128; i++) expected[i] = next[i];
    }
    for (int i = 0; i < 128; i++) IS(host[i] == expected[i]);
    drop<<<1, 96>>>(a);
    OK(cudaMemcpy(host, a, 2 * sizeof *host, cudaMemcpyDeviceToHost));
    IS(host[0] == 96 && host[1] == 96 + 48);
    for (int i = 0; i < 512; i++) host[i] = 3 * i;
    OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    ring<<<1, 64>>>(a, b, 16);
    OK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 512; i++) IS(host[i] == 3 * (i / 32 * 32 + 31 - i % 32));
    printf("the barriers hold\n");
    return 0;
}
