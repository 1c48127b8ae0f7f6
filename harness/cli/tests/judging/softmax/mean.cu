// wrong: should be
// Each element gets the mean.
extern "C" __global__ void softmax(const float* x, float* y, int cols) {
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        y[(size_t)blockIdx.x * cols + i] = 1.0f / cols;
    }
}
