// launch: reverse<<<1, 64>>>(y: u32[64], 40, 1)
// A thread's variable that is not set is stored for other threads, which use it.
extern "C" __global__ void reverse(unsigned* y, int n, int step) {
    __shared__ unsigned s[64];
    volatile unsigned own[2];
    int t = threadIdx.x;
    if (t < n) own[t & step] = t;
    s[t] = own[t & step];
    __syncthreads();
    y[t] = s[63 - t];
}
