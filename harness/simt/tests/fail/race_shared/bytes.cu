// launch: shift<<<1, 64>>>(x: u8[64] = index, y: u8[64])
// Neighbouring bytes of one word are different places; the same byte is not.
extern "C" __global__ void shift(const unsigned char* x, unsigned char* y) {
    __shared__ unsigned char s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 63) s[t + 1] = s[t] + 1;
    __syncthreads();
    y[t] = s[t];
}
