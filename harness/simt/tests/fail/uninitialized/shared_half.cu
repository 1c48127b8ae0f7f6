// launch: half<<<1, 64>>>(y: i32[64])
// The first warp fills its half, both read.
extern "C" __global__ void half(int* y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 32) s[t] = t;
    __syncthreads();
    y[t] = s[t];
}
