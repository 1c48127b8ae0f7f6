// launch: pass<<<1, 32>>>(x: i32[32] = index, y: i32[1])
// Lane 0 meets lane 1, lane 1 meets lane 2: what lane 0 wrote is ordered before what lane 2 reads.
extern "C" __global__ void pass(const int* x, int* y) {
    __shared__ int s;
    int l = threadIdx.x;
    if (l == 0) s = x[31];
    if (l <= 1) __syncwarp(0x3u);
    if (l == 1 || l == 2) __syncwarp(0x6u);
    if (l == 2) *y = s;
}
