// Two ways to get the tree of `sequential` wrong, each one edit away from it.
//
//   stride-blockdim  the first stride is blockDim.x, not half of it: it reads past the end of the shared array
//   no-barrier       no barrier between the rounds: a round reads what the round before may not have written
//
// Both compute a sum, with two elements per thread. Shared memory: one float per thread.

__device__ float load_two(const float* x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x * 2 + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    if (i + blockDim.x < n) v += x[i + blockDim.x];
    return v;
}

extern "C" __global__ void stride_blockdim(const float* x, const float* y, float* partial, size_t n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    s[t] = load_two(x, n);
    for (unsigned stride = blockDim.x; stride >= 1; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) partial[blockIdx.x] = s[0];
}

extern "C" __global__ void no_barrier(const float* x, const float* y, float* partial, size_t n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    s[t] = load_two(x, n);
    for (unsigned live = blockDim.x; live > 1;) {
        unsigned half = (live + 1) / 2;
        if (t + half < live) s[t] += s[t + half];
        live = half;
    }
    if (t == 0) partial[blockIdx.x] = s[0];
}
