// launch: hand<<<2, 32>>>(data: i32[1], flag: i32[1], y: i32[1])
// Relaxed where release is needed.
__device__ int load_relaxed(const int* p) {
    int v;
    asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ void store_relaxed(int* p, int v) {
    asm volatile("st.relaxed.gpu.s32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
}
extern "C" __global__ void hand(int* data, int* flag, int* y) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        store_relaxed(flag, 1);
    } else {
        while (load_relaxed(flag) == 0) {}
        *y = *data;
    }
}
