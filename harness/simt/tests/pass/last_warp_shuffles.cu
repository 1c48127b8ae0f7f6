// launch: sum<<<1, 128>>>(x: f32[128] = 1, y: f32[1])
extern "C" __global__ void sum(const float* x, float* y) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        float v = s[t] + s[t + 32];
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
        if (t == 0) *y = v;
    }
}
