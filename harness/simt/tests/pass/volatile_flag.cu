// launch: hand<<<1, 32>>>(x: i32[1] = 7, y: i32[1])
// Inside a warp, one lane hands a value to another: written, fenced, then announced by a volatile flag that the other awaits.
extern "C" __global__ void hand(const int* x, int* y) {
    __shared__ int data;
    __shared__ volatile int flag;
    int l = threadIdx.x;
    if (l == 0) flag = 0;
    __syncwarp();
    if (l == 1) {
        data = *x;
        __threadfence_block();
        flag = 1;
    }
    if (l == 2) {
        while (flag == 0) {}
        __threadfence_block();
        *y = data;
    }
}
