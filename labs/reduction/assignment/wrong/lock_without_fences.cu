// Broken on purpose. Nothing orders the addition between taking the lock and leaving it.
extern "C" __global__ void spin_lock_sum(const float* x, const float* y, float* total, unsigned* lock, size_t n) {
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    float v = 0.0f;
    for (size_t i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += x[i];
    s[t] = v;
    __syncthreads();
    if (t == 0) {
        for (unsigned k = 1; k < blockDim.x; k++) v += s[k];
        while (atomicCAS(lock, 0u, 1u) != 0) {}
        *total += v;
        atomicExch(lock, 0u);
    }
}
