// wrong: ended by a fault
// launch: add<<<ceil_div(n, 256), 256>>>(x, y, sum, n)
extern "C" __global__ void add(const float* x, const float* y, float* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = x[i] + y[i];
}
