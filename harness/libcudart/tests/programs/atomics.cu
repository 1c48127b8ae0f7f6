// Atomics of every operation and width, in global and in shared memory, and those of the C++ library.
// nvcc: -std=c++17 -arch=sm_80
#include "common.cuh"
#include <cuda/atomic>

struct Words {
    int add, sub, least, most, swapped, compared, both, either, one;
    unsigned up, down;
    float real;
    long long wide_least, wide_most;
    unsigned long long wide_add, wide_compared, wide_or;
    double wide_real;
    unsigned short narrow;
    int system, block[3];
};

__device__ void all_of_them(Words *w, int i) {
    atomicAdd(&w->add, i);
    atomicSub(&w->sub, i);
    atomicMin(&w->least, 500 - i);
    atomicMax(&w->most, i);
    atomicExch(&w->swapped, 7);
    int seen = atomicAdd(&w->compared, 0);
    while (true) {
        int now = atomicCAS(&w->compared, seen, seen + 2);
        if (now == seen) break;
        seen = now;
    }
    atomicAnd(&w->both, ~(1 << i % 31));
    atomicOr(&w->either, 1 << i % 31);
    atomicXor(&w->one, 1 << i % 3);
    atomicInc(&w->up, 99);
    atomicDec(&w->down, 99);
    atomicAdd(&w->real, 0.5f);
    atomicMin(&w->wide_least, -((long long)i << 33));
    atomicMax(&w->wide_most, (long long)i << 33);
    atomicAdd(&w->wide_add, 1ull << 32);
    atomicCAS(&w->wide_compared, 0ull, 5ull << 40);
    atomicOr(&w->wide_or, 1ull << i % 64);
    atomicAdd(&w->wide_real, 0.25);
    atomicCAS(&w->narrow, (unsigned short)0, (unsigned short)9);
    atomicAdd_system(&w->system, 1);
    atomicAdd_block(&w->block[blockIdx.x], 1);
}

__global__ void in_global(Words *w) {
    all_of_them(w, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void in_shared(const Words *begin, Words *w) {
    __shared__ Words own;
    if (threadIdx.x == 0) own = *begin;
    __syncthreads();
    all_of_them(&own, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) *w = own;
}

__global__ void of_the_library(int *counts) {
    cuda::atomic_ref<int, cuda::thread_scope_device> count(counts[0]);
    count.fetch_add(1, cuda::memory_order_relaxed);
    __shared__ cuda::atomic<int, cuda::thread_scope_block> arrived;
    if (threadIdx.x == 0) arrived.store(0);
    __syncthreads();
    if (++arrived == blockDim.x) counts[1] = arrived.load();
    cuda::atomic_ref<int, cuda::thread_scope_device> most(counts[2]);
    most.fetch_max(threadIdx.x);
}

static void check(const Words &w, int n) {
    long long sum = (long long)n * (n - 1) / 2;
    IS(w.add == sum && w.sub == -sum && w.least == 500 - (n - 1) && w.most == n - 1 && w.swapped == 7);
    IS(w.compared == 2 * n && w.both == (int)0x80000000 && w.either == 0x7fffffff);
    IS(w.one == ((n + 2) / 3 % 2 | (n + 1) / 3 % 2 << 1 | n / 3 % 2 << 2));
    IS(w.up == n % 100 && w.down == (100 - n % 100) % 100 && w.real == 0.5f * n);
    IS(w.wide_least == -((long long)(n - 1) << 33) && w.wide_most == (long long)(n - 1) << 33);
    IS(w.wide_add == (unsigned long long)n << 32 && w.wide_compared == 5ull << 40 && w.wide_or == ~0ull);
    IS(w.wide_real == 0.25 * n && w.narrow == 9 && w.system == n);
}

int main() {
    Words begin = {}, found, *p, *first;
    begin.both = -1;
    begin.least = 1000;
    OK(cudaMalloc(&p, sizeof *p));
    OK(cudaMalloc(&first, sizeof *first));
    OK(cudaMemcpy(p, &begin, sizeof begin, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(first, &begin, sizeof begin, cudaMemcpyHostToDevice));
    in_global<<<3, 128>>>(p);
    OK(cudaMemcpy(&found, p, sizeof found, cudaMemcpyDeviceToHost));
    check(found, 384);
    for (int block : found.block) IS(block == 128);
    in_shared<<<1, 128>>>(first, p);
    OK(cudaMemcpy(&found, p, sizeof found, cudaMemcpyDeviceToHost));
    check(found, 128);
    IS(found.block[0] == 128 && found.block[1] == 0);
    int *counts, host[3];
    OK(cudaMalloc(&counts, sizeof host));
    OK(cudaMemset(counts, 0, sizeof host));
    of_the_library<<<2, 64>>>(counts);
    OK(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[0] == 128 && host[1] == 64 && host[2] == 63);
    OK(cudaFree(p));
    OK(cudaFree(first));
    OK(cudaFree(counts));
    puts("atomics are right");
}
