// launch: pipe<<<1, 64>>>(x: i32[128] = index, y: i32[128])
// Full and empty barriers between a producing and a consuming warp, four rounds.
__device__ void arrive(int id) { asm volatile("bar.arrive %0, 64;" :: "r"(id) : "memory"); }
__device__ void wait(int id) { asm volatile("bar.sync %0, 64;" :: "r"(id) : "memory"); }
extern "C" __global__ void pipe(const int* x, int* y) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x < 32) {
            if (k > 0) wait(2);
            s[lane] = x[k * 32 + lane] * 2;
            arrive(1);
        } else {
            wait(1);
            y[k * 32 + lane] = s[31 - lane];
            if (k < 3) arrive(2);
        }
    }
}
