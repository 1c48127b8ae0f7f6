// launch: half<<<1, 32>>>(y: i32[32])
// The barrier is in a branch that half of the warp takes.
extern "C" __global__ void half(int* y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 16) {
        s[t] += 1;
        __syncthreads();
    }
    y[t] = s[t];
}
