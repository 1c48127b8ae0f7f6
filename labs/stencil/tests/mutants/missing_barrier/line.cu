// Broken on purpose. The threads do not wait for the neighbours' elements.
extern "C" __global__ void blur_shared(const float* x, float* y, unsigned long long n) {
    extern __shared__ float s[];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned t = threadIdx.x;
    s[t + 1] = i < n ? x[i] : 0.0f;
    if (t == 0) s[0] = i > 0 ? x[i - 1] : 0.0f;
    if (t == blockDim.x - 1) s[t + 2] = i + 1 < n ? x[i + 1] : 0.0f;
    if (i < n) y[i] = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}
