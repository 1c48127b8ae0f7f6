// Mutant of brent_kung_u32: no barrier on the way up the tree.

extern __shared__ unsigned s[];

extern "C" __global__ void brent_kung_u32(const unsigned* x, unsigned* out, size_t n, unsigned inclusive) {
    unsigned t = threadIdx.x, section = 2 * blockDim.x;
    s[t] = t < n ? x[t] : 0;
    s[t + blockDim.x] = t + blockDim.x < n ? x[t + blockDim.x] : 0;
    unsigned stride = 1;
    for (; stride < section; stride *= 2) {
        unsigned i = (t + 1) * 2 * stride - 1;
        if (i < section) s[i] += s[i - stride];
    }
    for (; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned i = (t + 1) * 2 * stride - 1;
        if (i + stride < section) s[i + stride] += s[i];
    }
    __syncthreads();
    for (unsigned i = t; i < section && i < n; i += blockDim.x) out[i] = inclusive ? s[i] : i > 0 ? s[i - 1] : 0;
}
