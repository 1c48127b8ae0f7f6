// launch: down<<<1, 1>>>(x: i32[32])
// with: budget=100000
// An unsigned number is never below zero.
extern "C" __global__ void down(int* x) {
    volatile int* p = x;
    for (unsigned i = 31; i >= 0; i--) p[i % 32] = threadIdx.x == i % 32 ? 1 : 1;
}
