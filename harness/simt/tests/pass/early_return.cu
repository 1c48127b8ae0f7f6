// launch: scale<<<2, 96>>>(x: f32[150] = index, y: f32[150], 150)
// Threads without an element return before the barrier, some of a warp among them: the others do not wait for them.
extern "C" __global__ void scale(const float* x, float* y, int n) {
    __shared__ float s[96];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (i >= n) return;
    s[t] = x[i];
    __syncthreads();
    y[i] = s[t ^ 1] * 2;
}
