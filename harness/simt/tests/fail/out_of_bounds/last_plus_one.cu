// launch: fill<<<1, 32>>>(x: i32[100], 100)
// The loop's condition lets in one element too many.
extern "C" __global__ void fill(int* x, int n) {
    for (int i = threadIdx.x; i <= n; i += blockDim.x) x[i] = i;
}
