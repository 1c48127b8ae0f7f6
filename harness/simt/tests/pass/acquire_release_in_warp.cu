// launch: hand<<<1, 32>>>(y: i32[1])
// Two lanes of one warp, with acquire and release in shared memory.
__device__ int load_acquire(const int* p) {
    int v;
    asm volatile("ld.acquire.cta.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ void store_release(int* p, int v) {
    asm volatile("st.release.cta.s32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
}
extern "C" __global__ void hand(int* y) {
    __shared__ int data, flag;
    int l = threadIdx.x;
    if (l == 0) flag = 0;
    __syncwarp();
    if (l == 1) {
        data = 7;
        store_release(&flag, 1);
    }
    if (l == 2) {
        while (load_acquire(&flag) == 0) {}
        *y = data;
    }
}
