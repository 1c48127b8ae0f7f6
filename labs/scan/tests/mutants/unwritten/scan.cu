// Mutant of kogge_stone_f32: element 0 is never written.

extern __shared__ float s[];

extern "C" __global__ void kogge_stone_f32(const float* x, float* out, size_t n, unsigned inclusive) {
    unsigned t = threadIdx.x;
    s[t] = t < n ? x[t] : 0.0f;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        float left = t >= stride ? s[t - stride] : 0.0f;
        __syncthreads();
        s[t] += left;
    }
    __syncthreads();
    if (t > 0 && t < n) out[t] = inclusive ? s[t] : s[t - 1];
}
