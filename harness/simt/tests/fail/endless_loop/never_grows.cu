// launch: halve<<<1, 32>>>(x: i32[32] = index)
// with: budget=100000
// Zero halved is zero.
extern "C" __global__ void halve(int* x) {
    int v = x[threadIdx.x], n = 0;
    while (v < 16) {
        v = v * 2;
        n++;
    }
    x[threadIdx.x] = n;
}
