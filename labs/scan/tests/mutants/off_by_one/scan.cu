// Mutant of kogge_stone_u32: element `stride` itself gets nothing from element 0.

extern __shared__ unsigned s[];

extern "C" __global__ void kogge_stone_u32(const unsigned* x, unsigned* out, size_t n, unsigned inclusive) {
    unsigned t = threadIdx.x;
    s[t] = t < n ? x[t] : 0;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned left = t > stride ? s[t - stride] : 0;
        __syncthreads();
        s[t] += left;
    }
    __syncthreads();
    if (t < n) out[t] = inclusive ? s[t] : t > 0 ? s[t - 1] : 0;
}
