// launch: blur<<<2, 64>>>(x: f32[130] = index, y: f32[130])
// launch: blur<<<2, 64>>>(y, x)
extern "C" __global__ void blur(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
