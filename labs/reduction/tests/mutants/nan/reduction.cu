// Mutant of atomic_finish_dot: one thread's share is 0 / 0.

extern "C" __global__ void atomic_finish_dot(const float* x, const float* y, float* total, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    float v = 0.0f;
    for (size_t k = i; k < n; k += stride) v += x[k] * y[k];
    if (i == 3) v = (v - v) / (v - v);
    atomicAdd(total, v);
}
