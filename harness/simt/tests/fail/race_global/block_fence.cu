// launch: hand<<<2, 32>>>(data: i32[1], flag: i32[1], y: i32[1])
// A fence for the block, where the reader is in another.
extern "C" __global__ void hand(int* data, volatile int* flag, int* y) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        *y = *data;
    }
}
