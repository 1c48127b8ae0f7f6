// launch: pipe<<<1, 96>>>(y: i32[96], 40)
// One of the producing warps returns without arriving.
extern "C" __global__ void pipe(int* y, int n) {
    int w = threadIdx.x / 32;
    if (w == 2) {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        y[threadIdx.x] = 1;
    } else {
        if (w * 32 >= n - 10) return;
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    }
}
