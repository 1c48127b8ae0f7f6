// launch: reverse<<<1, 64, 256>>>(x: i32[64] = index)
extern "C" __global__ void reverse(int* x) {
    extern __shared__ int s[];
    int t = threadIdx.x, n = blockDim.x;
    s[t] = x[t];
    __syncthreads();
    x[t] = s[n - 1 - t];
}
