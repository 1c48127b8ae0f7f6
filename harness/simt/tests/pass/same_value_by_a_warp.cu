// launch: any<<<1, 32>>>(x: i32[32] = index, y: i32[1])
// The lanes of a warp that write at once write the same.
extern "C" __global__ void any(const int* x, int* y) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncwarp();
    if (x[threadIdx.x] > 20) found = 1;
    __syncwarp();
    if (threadIdx.x == 0) *y = found;
}
