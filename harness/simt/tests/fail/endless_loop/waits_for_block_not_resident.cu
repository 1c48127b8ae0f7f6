// launch: wait<<<2, 32>>>(flag: i32[1])
// with: budget=100000
// Each of two blocks waits for the other's word, and neither gives it first.
extern "C" __global__ void wait(volatile int* flag) {
    if (threadIdx.x == 0) {
        while (*flag != 2 - blockIdx.x) {}
        *flag = 1 + blockIdx.x;
    }
}
