// launch: sum<<<4, 64>>>(x: f32[256] = 1, parts: f32[256], done: u32[1], y: f32[64])
// Every thread leaves something and fences for itself; all threads of the last block read it.
extern "C" __global__ void sum(const float* x, float* parts, unsigned* done, float* y) {
    __shared__ bool last;
    int t = threadIdx.x;
    parts[blockIdx.x * 64 + t] = x[blockIdx.x * 64 + t] * 2;
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        float all = 0;
        for (int b = 0; b < gridDim.x; b++) all += parts[b * 64 + t];
        y[t] = all;
    }
}
