// launch: pipe<<<1, 64>>>(x: i32[32] = index, y: i32[32])
// Named barrier 1 holds the second warp until the first has produced; the first does not wait.
extern "C" __global__ void pipe(const int* x, int* y) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        s[lane] = x[lane] * 2;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[lane] = s[lane];
    }
}
