// launch: chain<<<1, 32>>>(y: i32[32])
// Lane 0 names lane 1, which is here but names lane 2, which never comes: neither can go on.
extern "C" __global__ void chain(int* y) {
    int t = threadIdx.x;
    if (t < 2) y[t] = __shfl_xor_sync(t == 0 ? 0x3 : 0x7, t, 1);
    __syncthreads();
}
