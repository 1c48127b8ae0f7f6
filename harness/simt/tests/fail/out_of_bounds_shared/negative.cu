// launch: shift<<<1, 32>>>(y: i32[32])
extern "C" __global__ void shift(int* y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    y[t] = s[t - 1];
}
