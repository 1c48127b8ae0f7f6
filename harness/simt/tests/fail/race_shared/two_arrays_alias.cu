// launch: swap<<<1, 64, 256>>>(x: i32[64] = index, y: i32[64])
// Both arrays begin at the start of dynamic shared memory.
extern "C" __global__ void swap(const int* x, int* y) {
    extern __shared__ int a[];
    int* b = a;
    int t = threadIdx.x;
    a[t] = x[t];
    b[63 - t] = -x[t];
    __syncthreads();
    y[t] = a[t] + b[t];
}
