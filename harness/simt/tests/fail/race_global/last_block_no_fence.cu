// launch: sum<<<4, 64>>>(x: f32[256] = 1, parts: f32[4], done: u32[1], y: f32[1])
// The last block adds up what the others left, but there is no fence.
extern "C" __global__ void sum(const float* x, float* parts, unsigned* done, float* y) {
    __shared__ float s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 64 + t];
    for (int d = 32; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[t] += s[t + d];
    }
    if (t == 0) {
        parts[blockIdx.x] = s[0];
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float all = 0;
        for (int b = 0; b < gridDim.x; b++) all += parts[b];
        *y = all;
    }
}
