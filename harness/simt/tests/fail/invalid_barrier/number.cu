// launch: sync<<<1, 64>>>(y: i32[64], 16)
// Barriers are numbered 0 to 15.
extern "C" __global__ void sync(int* y, int id) {
    asm volatile("bar.sync %0;" :: "r"(id) : "memory");
    y[threadIdx.x] = 1;
}
