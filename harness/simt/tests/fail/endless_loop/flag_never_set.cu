// launch: wait<<<1, 2>>>(flag: i32[1], y: i32[1])
// with: budget=100000
// No thread sets the flag.
extern "C" __global__ void wait(volatile int* flag, int* y) {
    while (*flag == 0) {}
    if (threadIdx.x == 0) *y = 1;
}
