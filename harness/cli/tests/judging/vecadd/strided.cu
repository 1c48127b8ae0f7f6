// slow: times as long
// Neighbouring threads read far apart.
// launch: add<<<ceil_div(n, 256), 256>>>(x, y, sum, n)
extern "C" __global__ void add(const float* x, const float* y, float* sum, int n) {
    int threads = gridDim.x * blockDim.x, rows = (n + 4096 - 1) / 4096;
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = id; i < rows * 4096; i += threads) {
        int at = i % rows * 4096 + i / rows;
        if (at < n) {
            float sums = 0.0f;
            for (int k = 0; k < 8; k++) {
                sums = ((volatile const float*)x)[at] + ((volatile const float*)y)[at];
            }
            sum[at] = sums;
        }
    }
}
