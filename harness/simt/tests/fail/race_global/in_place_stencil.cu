// launch: blur<<<2, 64>>>(x: f32[130] = index)
// Neighbours read what their neighbours overwrite.
extern "C" __global__ void blur(float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
