// launch: average<<<1, 128>>>(x: f32[128] = index, y: f32[128], 128)
// The average of five as it has been published: the guard is on what is written, not on what is read.
extern "C" __global__ void average(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (x[i - 2] + x[i - 1] + x[i] + x[i + 1] + x[i + 2]) / 5;
}
