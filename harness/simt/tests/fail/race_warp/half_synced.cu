// launch: swap<<<1, 32>>>(x: i32[32] = index)
// The two halves of the warp synchronise each for itself, and read each other's.
extern "C" __global__ void swap(int* x) {
    __shared__ int s[32];
    int l = threadIdx.x;
    s[l] = x[l];
    __syncwarp(l < 16 ? 0x0000ffffu : 0xffff0000u);
    x[l] = s[l ^ 16];
}
