// launch: both<<<1, 32>>>(y: i32[32])
// A barrier in each of the two branches: not the same barrier for a warp.
extern "C" __global__ void both(int* y) {
    int t = threadIdx.x;
    if (t % 2) {
        y[t] = 1;
        __syncthreads();
    } else {
        y[t] = 2;
        __syncthreads();
    }
}
