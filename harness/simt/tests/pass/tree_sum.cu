// launch: sum<<<1, 128, 512>>>(x: f32[128] = 1, y: f32[1])
extern "C" __global__ void sum(const float* x, float* y) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    s[t] = x[t];
    for (unsigned stride = blockDim.x / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) *y = s[0];
}
