// What happens inside the sums, recorded step by step. f(x) = 2x + 1, so that every number is exact.
//
//  1 trace_atomics        like trap_atomic, but each thread keeps what it found in *sum: the order of the additions
//  2 trace_shuffle        the tree of warp_sum: every lane's value before the first step and after each
//  3 trace_xor            like 2, but partners exchange their sums, so that every lane ends with the sum
//  4 trace_dissemination  like 2, but for the sum in shared memory

__device__ float f(float x) { return 2.0f * x + 1.0f; }

// 1: thread i adds f at point i if first <= i < n, and found[i] is the sum that it added to.
extern "C" __global__ void trace_atomics(float a, float h, int first, int n, float *sum, float *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (first <= i && i < n) found[i] = atomicAdd(sum, f(a + i * h));
}

// 2: one block of `lanes` threads, a power of two from 2 to 32. values: `lanes` inputs, then `lanes` values per step.
extern "C" __global__ void trace_shuffle(float *values, int lanes) {
    unsigned all = 0xffffffffu >> (32 - lanes);
    float value = values[threadIdx.x];
    for (int distance = lanes / 2, step = 1; distance > 0; distance /= 2, step++) {
        value += __shfl_down_sync(all, value, distance, lanes);
        values[step * lanes + threadIdx.x] = value;
    }
}

// 3: like 2.
extern "C" __global__ void trace_xor(float *values, int lanes) {
    unsigned all = 0xffffffffu >> (32 - lanes);
    float value = values[threadIdx.x];
    for (int distance = lanes / 2, step = 1; distance > 0; distance /= 2, step++) {
        value += __shfl_xor_sync(all, value, distance, lanes);
        values[step * lanes + threadIdx.x] = value;
    }
}

// 4: like 2.
extern "C" __global__ void trace_dissemination(float *values, int lanes) {
    __shared__ float words[32];
    unsigned all = 0xffffffffu >> (32 - lanes);
    int lane = threadIdx.x;
    words[lane] = values[lane];
    __syncwarp(all);
    for (int distance = lanes / 2, step = 1; distance > 0; distance /= 2, step++) {
        float sum = words[lane] + words[(lane + distance) % lanes];
        __syncwarp(all);
        words[lane] = sum;
        __syncwarp(all);
        values[step * lanes + lane] = sum;
    }
}
