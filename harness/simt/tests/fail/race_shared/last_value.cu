// launch: last<<<1, 128>>>(out: u32[1], 64)
// Several warps write to one place, and most of them the same.
extern "C" __global__ void last(unsigned* out, int n) {
    __shared__ unsigned s[64];
    s[threadIdx.x % n] = threadIdx.x < 127 ? 7 : 8;
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < n; k++) sum += s[k];
    out[0] = sum;
}
