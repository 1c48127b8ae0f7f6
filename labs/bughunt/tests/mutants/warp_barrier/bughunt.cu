// A mend that does not go far enough: the barrier is one of the warp, but the number comes from another warp.
extern "C" __global__ void mirror(const float* x, float* y, size_t n) {
    __shared__ float tile[256];
    size_t start = (size_t)blockIdx.x * 256;
    unsigned length = n - start < 256 ? n - start : 256, t = threadIdx.x;
    if (t < length) tile[t] = x[start + t];
    __syncwarp();
    if (t < length) y[start + t] = tile[length - 1 - t];
}
