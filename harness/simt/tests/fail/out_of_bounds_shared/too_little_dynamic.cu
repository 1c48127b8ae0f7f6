// launch: reverse<<<1, 64, 64>>>(x: i32[64] = index)
// The launch passes elements where bytes are expected.
extern "C" __global__ void reverse(int* x) {
    extern __shared__ int s[];
    int t = threadIdx.x, n = blockDim.x;
    s[t] = x[t];
    __syncthreads();
    x[t] = s[n - 1 - t];
}
