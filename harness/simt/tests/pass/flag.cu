// launch: hand<<<2, 32>>>(data: i32[1], flag: i32[1], y: i32[1])
extern "C" __global__ void hand(int* data, volatile int* flag, int* y) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        *y = *data;
    }
}
