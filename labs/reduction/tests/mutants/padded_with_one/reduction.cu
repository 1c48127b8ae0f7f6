// Mutant of padded_1024_sum: the padding is the identity of a product.
extern "C" __global__ void padded_1024_sum(const float* x, const float* y, float* partial, size_t n) {
    __shared__ float s[1024];
    unsigned t = threadIdx.x;
    s[t] = t < n ? x[t] : 0.0f;
    for (unsigned i = t + blockDim.x; i < 1024; i += blockDim.x) s[i] = 1.0f;
    __syncthreads();
    for (unsigned half = 512; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) partial[0] = s[0];
}
