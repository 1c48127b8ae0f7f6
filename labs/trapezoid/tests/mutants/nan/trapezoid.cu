// Mutant of trap_atomic: one point gives NaN.

extern "C" __global__ void trap_atomic(float a, float h, long long n, float *sum) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    float x = a + i * h;
    if (0 < i && i < n) atomicAdd(sum, i == n / 2 ? sqrtf(-x * x - 1.0f) : x * x + 1.0f);
}
