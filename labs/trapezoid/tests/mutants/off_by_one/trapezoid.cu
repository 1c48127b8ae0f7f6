// Mutant of trap_shuffle_32: the last point, which the host adds, is added too.

__device__ float f(float x) { return x * x + 1.0f; }

extern "C" __global__ void trap_shuffle_32(float a, float h, long long n, float *sum) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    float value = 0 < i && i <= n ? f(a + i * h) : 0.0f;
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    if (threadIdx.x == 0) atomicAdd(sum, value);
}
