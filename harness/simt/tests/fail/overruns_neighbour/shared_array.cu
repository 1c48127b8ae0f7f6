// launch: two<<<1, 64>>>(x: i32[64] = index, y: i32[64])
// One array runs over into the next.
extern "C" __global__ void two(const int* x, int* y) {
    __shared__ int a[64];
    __shared__ int b[64];
    int t = threadIdx.x;
    b[t] = 1;
    a[t] = 2;
    __syncthreads();
    a[t + 32] = x[t];
    __syncthreads();
    y[t] = a[t] + b[t];
}
