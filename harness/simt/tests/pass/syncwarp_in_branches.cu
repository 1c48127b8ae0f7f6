// launch: pair<<<1, 32>>>(y: i32[32])
// Each branch names its own lanes.
extern "C" __global__ void pair(int* y) {
    __shared__ int s[32];
    int l = threadIdx.x;
    s[l] = l;
    if (l < 16) {
        __syncwarp(0x0000ffffu);
        y[l] = s[15 - l];
    } else {
        __syncwarp(0xffff0000u);
        y[l] = s[47 - l];
    }
}
