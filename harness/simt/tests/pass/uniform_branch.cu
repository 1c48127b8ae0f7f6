// launch: maybe<<<2, 64>>>(x: i32[128] = index, y: i32[128])
// A barrier in a branch that whole blocks take or do not take.
extern "C" __global__ void maybe(const int* x, int* y) {
    __shared__ int s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (blockIdx.x == 0) {
        s[t] = x[i];
        __syncthreads();
        y[i] = s[63 - t];
    } else {
        y[i] = x[i];
    }
}
