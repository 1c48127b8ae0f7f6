// launch: sum<<<1, 128, 512>>>(x: f32[128] = 1, y: f32[1])
// The same in dynamic shared memory, where the arrays cannot be distinguished.
extern "C" __global__ void sum(const float* x, float* y) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned i = 2 * d * t;
        if (i < blockDim.x) s[i] += s[i + d];
    }
    __syncthreads();
    if (t == 0) *y = s[0];
}
