// launch: sync<<<1, 64>>>(y: i32[64], 48)
// 48 threads are not a number of whole warps.
extern "C" __global__ void sync(int* y, int count) {
    asm volatile("bar.sync 1, %0;" :: "r"(count) : "memory");
    y[threadIdx.x] = 1;
}
