// Mutant of shuffle_sum: warp 0 does not wait for the other warps' sums.

extern "C" __global__ void shuffle_sum(const float* x, const float* y, float* partial, size_t n) {
    __shared__ float of_warp[32];
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
    size_t i = (size_t)blockIdx.x * blockDim.x * 2 + t;
    float v = i < n ? x[i] : 0.0f;
    if (i + blockDim.x < n) v += x[i + blockDim.x];
    if (lane == 0) of_warp[warp] = 0.0f;
    __syncthreads();
    for (unsigned d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (lane == 0) of_warp[warp] = v;
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? of_warp[lane] : 0.0f;
        for (unsigned d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
        if (t == 0) partial[blockIdx.x] = v;
    }
}
