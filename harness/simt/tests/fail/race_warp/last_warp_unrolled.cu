// launch: sum<<<1, 128>>>(x: f32[128] = 1, y: f32[1])
// The tree whose last warp goes on without synchronising, as it was taught before Volta.
__device__ void last_warp(volatile float* s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
extern "C" __global__ void sum(const float* x, float* y) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) last_warp(s, t);
    if (t == 0) *y = s[0];
}
