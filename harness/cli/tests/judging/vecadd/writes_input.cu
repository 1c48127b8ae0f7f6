// wrong: the kernel changed its input
// launch: add<<<ceil_div(n, 256), 256>>>(x, y, sum, n)
extern "C" __global__ void add(float* x, const float* y, float* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { sum[i] = x[i] + y[i]; x[i] = 0; }
}
