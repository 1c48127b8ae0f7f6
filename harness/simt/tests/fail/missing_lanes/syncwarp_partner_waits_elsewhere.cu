// launch: pair<<<1, 64>>>(y: i32[64])
// Half of each warp waits at __syncwarp for those that wait at the block's barrier.
extern "C" __global__ void pair(int* y) {
    int t = threadIdx.x;
    if (t % 32 < 16) __syncwarp();
    __syncthreads();
    y[t] = 1;
}
