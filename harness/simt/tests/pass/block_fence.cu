// launch: hand<<<1, 64>>>(y: i32[1])
// Between warps of a block the block's fence is enough.
extern "C" __global__ void hand(int* y) {
    __shared__ int data;
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 0) {
        data = 42;
        __threadfence_block();
        flag = 1;
    }
    if (t == 32) {
        while (flag == 0) {}
        __threadfence_block();
        *y = data;
    }
}
