// launch: scale<<<2, 96>>>(x: f32[150] = index, y: f32[192], 150)
// Threads without an element write a zero, and return.
extern "C" __global__ void scale(const float* x, float* y, int n) {
    __shared__ float s[96];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i >= n) {
        y[i] = -1;
        return;
    }
    s[t] = x[i];
    __syncthreads();
    y[i] = s[t ^ 1] * 2;
}
