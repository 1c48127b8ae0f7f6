// slow: the reference
// launch: softmax<<<rows, 1>>>(x, y, cols)
extern "C" __global__ void softmax(const float* x, float* y, int cols) {
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    float greatest = -1e30f, sum = 0.0f;
    for (int i = 0; i < cols; i++) {
        greatest = fmaxf(greatest, x[i]);
    }
    for (int i = 0; i < cols; i++) {
        sum += expf(x[i] - greatest);
    }
    for (int i = 0; i < cols; i++) {
        y[i] = expf(x[i] - greatest) / sum;
    }
}
