// Mutant of trap_shuffle: warp 0 does not wait for the other warps' sums.

__device__ float f(float x) { return x * x + 1.0f; }

__device__ float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    return value;
}

extern "C" __global__ void trap_shuffle(float a, float h, long long n, float *sum) {
    __shared__ float warp_sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    float total = warp_sum(0 < i && i < n ? f(a + i * h) : 0.0f);
    if (lane == 0) warp_sums[warp] = total;

    if (warp == 0) {
        total = warp_sum(lane < warps ? warp_sums[lane] : 0.0f);
        if (lane == 0) atomicAdd(sum, total);
    }
}
