// launch: fill<<<1, 128>>>(y: u8[128])
// Each thread has a byte of its own, in words that it shares with others.
extern "C" __global__ void fill(unsigned char* y) {
    __shared__ unsigned char s[128];
    int t = threadIdx.x;
    s[t] = t;
    s[t] ^= 1;
    __syncthreads();
    y[t] = s[127 - t];
    y[t] += 1;
}
