// launch: reverse<<<1, 64>>>(x: i32[64] = index)
// Between filling the array and reading it the other way round no thread waits.
extern "C" __global__ void reverse(int* x) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    x[t] = s[63 - t];
}
