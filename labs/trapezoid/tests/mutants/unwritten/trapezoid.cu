// Mutant of trap_shared_32: no thread ever adds to *sum.

extern "C" __global__ void trap_shared_32(float a, float h, long long n, float *sum) {
    __shared__ float words[32];
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    float x = a + i * h;
    words[threadIdx.x] = i < n ? x * x + 1.0f : 0.0f;
    __syncwarp();
    if (threadIdx.x == 32) atomicAdd(sum, words[0]);
}
