// A mend that goes too far: the last difference is never computed.
extern "C" __global__ void differences(const float* x, float* d, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n) d[i] = x[i + 1] - x[i];
}
