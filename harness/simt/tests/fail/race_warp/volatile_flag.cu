// launch: hand<<<1, 32>>>(y: i32[1])
// The flag is volatile, the data is not fenced.
extern "C" __global__ void hand(int* y) {
    __shared__ int data;
    __shared__ volatile int flag;
    int l = threadIdx.x;
    if (l == 0) flag = 0;
    __syncwarp();
    if (l == 1) {
        data = 7;
        flag = 1;
    }
    if (l == 2) {
        while (flag == 0) {}
        *y = data;
    }
}
