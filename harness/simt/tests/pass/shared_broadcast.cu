// launch: scale<<<1, 128>>>(x: f32[128] = 2, y: f32[128])
extern "C" __global__ void scale(const float* x, float* y) {
    __shared__ float top;
    int t = threadIdx.x;
    if (t == 0) top = x[127];
    __syncthreads();
    y[t] = x[t] / top;
}
