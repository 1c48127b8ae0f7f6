// finding: Race
// The first lane stores the greatest element, and the others read it without a barrier. What they read does not matter.
// launch: softmax<<<rows, 32>>>(x, y, cols)
extern "C" __global__ void softmax(const float* x, float* y, int cols) {
    __shared__ volatile float seen;
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    int lane = threadIdx.x;
    float greatest = -1e30f;
    for (int i = lane; i < cols; i += 32) {
        greatest = fmaxf(greatest, x[i]);
    }
    for (int far = 16; far > 0; far /= 2) {
        greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, far));
    }
    if (lane == 0) {
        seen = greatest;
    }
    greatest = fminf(fmaxf(greatest, seen), greatest);
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
