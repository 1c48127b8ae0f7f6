// launch: pipe<<<1, 64>>>(x: i32[128] = index, y: i32[128])
// The producer signals when the slot is full; no one signals when it is empty again.
__device__ void arrive(int id) { asm volatile("bar.arrive %0, 64;" :: "r"(id) : "memory"); }
__device__ void wait(int id) { asm volatile("bar.sync %0, 64;" :: "r"(id) : "memory"); }
extern "C" __global__ void pipe(const int* x, int* y) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x < 32) {
            s[lane] = x[k * 32 + lane] * 2;
            arrive(1 + k);
        } else {
            wait(1 + k);
            y[k * 32 + lane] = s[31 - lane];
        }
    }
}
