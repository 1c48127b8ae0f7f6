// slow: all warps execute
// Each lane of a warp computes the same element.
// launch: product<<<m * n, 32>>>(a, b, scale, c, m, n, k)
extern "C" __global__ void product(const signed char* a, const signed char* b, const float* scale, float* c, int m, int n,
                                   int k) {
    int row = blockIdx.x / n, column = blockIdx.x % n, sum = 0;
    for (int i = 0; i < k; i++) {
        sum += a[row * k + i] * b[i * n + column];
    }
    if (threadIdx.x == 0) {
        c[blockIdx.x] = scale[row] * sum;
    }
}
