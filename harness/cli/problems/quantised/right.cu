// A block keeps tiles of both matrices in shared memory.
// launch: product<<<(ceil_div(n, 16), ceil_div(m, 16)), (16, 16)>>>(a, b, scale, c, m, n, k)
constexpr int TILE = 16;

extern "C" __global__ void product(const signed char* a, const signed char* b, const float* scale, float* c, int m, int n,
                                   int k) {
    __shared__ int left[TILE][TILE];
    __shared__ int right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    int sum = 0;
    for (int start = 0; start < k; start += TILE) {
        left[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0;
        right[y][x] = column < n && start + y < k ? b[(start + y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += left[y][i] * right[i][x];
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = scale[row] * sum;
    }
}
