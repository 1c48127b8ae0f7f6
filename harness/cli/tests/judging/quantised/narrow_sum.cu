// wrong: should be
// The sum has 16 bits, and overflows.
extern "C" __global__ void product(const signed char* a, const signed char* b, const float* scale, float* c, int m, int n,
                                   int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && column < n) {
        short sum = 0;
        for (int i = 0; i < k; i++) {
            sum += a[row * k + i] * b[i * n + column];
        }
        c[row * n + column] = scale[row] * sum;
    }
}
