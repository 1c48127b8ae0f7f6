// launch: cross<<<1, 64>>>(y: i32[64])
// Both warps reach both barriers, in the opposite order.
extern "C" __global__ void cross(int* y) {
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    y[threadIdx.x] = 1;
}
