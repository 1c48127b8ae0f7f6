// launch: scale<<<1, 128>>>(x: f32[128] = index, y: f32[128])
// One thread computes for all; they do not wait for it.
extern "C" __global__ void scale(const float* x, float* y) {
    __shared__ float top;
    int t = threadIdx.x;
    if (t == 0) top = x[127];
    y[t] = x[t] / top;
}
