// launch: reverse<<<1, 32>>>(x: i32[32] = index, y: i32[32])
extern "C" __global__ void reverse(int* x, int* y) {
    int t = threadIdx.x;
    x[t] = t * 2;
    __syncwarp();
    y[t] = x[31 - t];
}
