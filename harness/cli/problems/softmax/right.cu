// A warp for each row: its lanes exchange registers, and no barrier is needed.
// launch: softmax<<<ceil_div(rows, 4), 128>>>(x, y, rows, cols)
extern "C" __global__ void softmax(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    x += (size_t)row * cols;
    y += (size_t)row * cols;
    float greatest = -1e30f;
    for (int i = lane; i < cols; i += 32) {
        greatest = fmaxf(greatest, x[i]);
    }
    for (int far = 16; far > 0; far /= 2) {
        greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, far));
    }
    float sum = 0.0f;
    for (int i = lane; i < cols; i += 32) {
        sum += expf(x[i] - greatest);
    }
    for (int far = 16; far > 0; far /= 2) {
        sum += __shfl_xor_sync(~0u, sum, far);
    }
    for (int i = lane; i < cols; i += 32) {
        y[i] = expf(x[i] - greatest) / sum;
    }
}
