// wrong: should be
// launch: softmax<<<rows, 64>>>(x, y, cols)
extern "C" __global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float greatest[64], sums[64];
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    int t = threadIdx.x;
    greatest[t] = -1e30f;
    for (int i = t; i < cols; i += 64) {
        greatest[t] = fmaxf(greatest[t], x[i]);
    }
    __syncthreads();
    float most = -1e30f;
    for (int i = 0; i < 64; i++) {
        most = fmaxf(most, greatest[i]);
    }
    sums[t] = 0.0f;
    for (int i = t; i < cols; i += 64) {
        sums[t] += expf(x[i] - most);
    }
    // A barrier is missing here.
    float sum = 0.0f;
    for (int i = 0; i < 64; i++) {
        sum += sums[i];
    }
    for (int i = t; i < cols; i += 64) {
        y[i] = expf(x[i] - most) / sum;
    }
}
