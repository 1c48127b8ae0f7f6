// launch: mix<<<1, 32>>>(x: i32[32] = index, y: i32[32])
// The shuffle comes before the store, not between the store and the load.
extern "C" __global__ void mix(const int* x, int* y) {
    __shared__ int s[32];
    int l = threadIdx.x;
    int v = __shfl_xor_sync(0xffffffffu, x[l], 1);
    s[l] = v;
    y[l] = s[l ^ 1];
}
