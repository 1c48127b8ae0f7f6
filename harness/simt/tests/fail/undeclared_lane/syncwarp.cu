// launch: swap<<<1, 32>>>(x: i32[32] = index, y: i32[32])
// All lanes execute the barrier, whose mask names the lower half.
extern "C" __global__ void swap(const int* x, int* y) {
    int t = threadIdx.x;
    y[t] = x[t];
    __syncwarp(0x0000ffffu);
}
