// launch: hand<<<2, 32>>>(data: i32[1], flag: i32[1], y: i32[1])
// The same with the instructions that cuda::atomic gives.
__device__ int load_acquire(const int* p) {
    int v;
    asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ void store_release(int* p, int v) {
    asm volatile("st.release.gpu.s32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
}
extern "C" __global__ void hand(int* data, int* flag, int* y) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        store_release(flag, 1);
    } else {
        while (load_acquire(flag) == 0) {}
        *y = *data;
    }
}
