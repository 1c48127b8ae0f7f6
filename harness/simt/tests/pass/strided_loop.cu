// launch: fill<<<1, 32>>>(x: i32[100], 100)
extern "C" __global__ void fill(int* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = i;
}
