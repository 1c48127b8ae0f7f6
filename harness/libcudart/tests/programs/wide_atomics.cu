// Atomics of 16 bytes, as a lock-free stack with a count next to each pointer would need them; and arrays on a thread's
// stack whose length only the thread knows.
// nvcc: -arch=sm_90
// device: h200
#include "common.cuh"
#include <alloca.h>

struct alignas(16) Pair {
    unsigned long long count, sum;
};

__global__ void add(Pair *pair) {
    Pair seen = *pair, now, found;
    do {
        found = seen;
        now = {found.count + 1, found.sum + threadIdx.x};
        seen = atomicCAS(pair, found, now);
    } while (seen.count != found.count || seen.sum != found.sum);
}

__global__ void swap(Pair *pair, Pair *olds) {
    olds[threadIdx.x] = atomicExch(pair, Pair{threadIdx.x + 1ull, ~0ull});
}

__global__ void reverse(const int *in, int *out, int most) {
    int length = 1 + threadIdx.x % most;
    int *mine = (int *)alloca(length * sizeof(int));
    for (int k = 0; k < length; k++) mine[k] = in[threadIdx.x + k];
    int sum = 0;
    for (int k = length - 1; k >= 0; k--) sum = 3 * sum + mine[k];
    out[threadIdx.x] = sum;
}

int main() {
    Pair *pair, *olds;
    OK(cudaMallocManaged(&pair, sizeof *pair));
    OK(cudaMallocManaged(&olds, 64 * sizeof *olds));
    *pair = {0, 0};
    add<<<4, 64>>>(pair);
    OK(cudaDeviceSynchronize());
    printf("%llu threads, sum %llu\n", pair->count, pair->sum);
    swap<<<1, 64>>>(pair, olds);
    OK(cudaDeviceSynchronize());
    unsigned long long seen = pair->count;
    for (int i = 0; i < 64; i++) seen += olds[i].count;
    IS(seen == 256 + 64 * 65 / 2 && pair->sum == ~0ull);
    int *in, *out;
    OK(cudaMallocManaged(&in, 200 * sizeof *in));
    OK(cudaMallocManaged(&out, 100 * sizeof *out));
    for (int i = 0; i < 200; i++) in[i] = i;
    reverse<<<1, 100>>>(in, out, 17);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 100; i++) {
        int sum = 0;
        for (int k = i % 17; k >= 0; k--) sum = 3 * sum + in[i + k];
        IS(out[i] == sum);
    }
    puts("each has its own array");
}
