// launch: rotate<<<1, 32>>>(x: i32[32] = index)
extern "C" __global__ void rotate(int* x) {
    __shared__ int s[32];
    int l = threadIdx.x;
    s[l] = x[l];
    x[l] = s[(l + 1) % 32];
}
