// launch: hand<<<1, 32>>>(x: i32[1] = 7, y: i32[1])
// The flag is volatile, the data is not fenced.
extern "C" __global__ void hand(const int* x, int* y) {
    __shared__ int data;
    __shared__ volatile int flag;
    int l = threadIdx.x;
    if (l == 0) flag = 0;
    __syncwarp();
    if (l == 1) {
        data = *x;
        flag = 1;
    }
    if (l == 2) {
        while (flag == 0) {}
        *y = data;
    }
}
