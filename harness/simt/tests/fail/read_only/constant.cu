// launch: change<<<1, 32>>>(y: i32[32])
// A constant is written through a pointer that has lost its const.
__constant__ int table[32] = {1, 2, 3};
extern "C" __global__ void change(int* y) {
    int* p = const_cast<int*>(&table[threadIdx.x]);
    asm volatile("st.s32 [%0], %1;" :: "l"(p), "r"(5) : "memory");
    y[threadIdx.x] = 1;
}
