// The lab's kernel with a mistake that its check must notice: the last block, which is not full, does nothing.
extern "C" __global__ void guarded(float a, const float* x, const float* y, float* z, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i / blockDim.x < n / blockDim.x) z[i] = a * x[i] + y[i];
}
