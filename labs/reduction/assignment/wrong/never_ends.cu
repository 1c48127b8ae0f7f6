// A tree of which a course printed the loop: there is a comparison where the shift should be halved, so that the loop never
// ends. The compiler warns that the expression has no effect.
extern "C" __global__ void sequential_sum(const float* x, const float* y, float* partial, size_t n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    s[t] = t < n ? x[t] : 0.0f;
    for (unsigned shift = blockDim.x / 2; shift >= 1; shift >= 1) {
        __syncthreads();
        if (t < shift) s[t] += s[t + shift];
    }
    if (t == 0) partial[0] = s[0];
}
