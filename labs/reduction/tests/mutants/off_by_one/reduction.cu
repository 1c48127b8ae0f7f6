// Mutant of strided_sum: the loop stops one element short.

extern "C" __global__ void strided_sum(const float* x, const float* y, float* partial, size_t n) {
    __shared__ float s[1024];
    unsigned t = threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    float v = 0.0f;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i + 1 < n; i += stride) v += x[i];
    s[t] = v;
    __syncthreads();
    if (t == 0) {
        for (unsigned k = 1; k < blockDim.x; k++) v += s[k];
        partial[blockIdx.x] = v;
    }
}
