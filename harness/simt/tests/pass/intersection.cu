// launch: common<<<1, 4>>>(out: u32[8], 5, 6)
// The intersection of Thrust: behind the ends of both lists, keys are compared and the lists followed further, without
// consequences.
extern "C" __global__ void common(unsigned* out, int m, int n) {
    __shared__ unsigned keys[64];
    int t = threadIdx.x;
    for (int k = t; k < m; k += blockDim.x) keys[k] = 2 * k;
    for (int k = t; k < n; k += blockDim.x) keys[m + k] = 3 * k;
    __syncthreads();
    int one = 0, other = m;
    unsigned a = keys[one], b = keys[other], mask = 0;
    unsigned found[8];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        bool less = a < b, more = b < a;
        found[k] = a;
        if (one < m && other < m + n && less == more) mask |= 1 << k;
        if (!more) a = keys[++one];
        if (!less) b = keys[++other];
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (t == 0) out[k] = mask & 1 << k ? found[k] : 0;
}
