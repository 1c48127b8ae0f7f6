// launch: pipe<<<1, 64>>>(x: i32[32] = index, y: i32[32])
// The first warp produces, the second consumes, and neither waits for the other.
extern "C" __global__ void pipe(const int* x, int* y) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) s[lane] = x[lane] * 2;
    else y[lane] = s[lane];
}
