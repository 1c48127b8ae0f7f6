// launch: sync<<<1, 64>>>(y: i32[64])
// The barrier waits for 64 threads, of which half have returned.
extern "C" __global__ void sync(int* y) {
    if (threadIdx.x >= 32) return;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    y[threadIdx.x] = 1;
}
