// launch: compact<<<1, 64>>>(x: u32[64] = index, y: u32[32])
// The warps store unwanted values to one spare element. Nothing reads it, but stores of several warps have no order.
extern "C" __global__ void compact(const unsigned* x, unsigned* y) {
    __shared__ unsigned chosen[33];
    unsigned t = threadIdx.x, value = x[t];
    chosen[value % 2 ? 32 : t / 2] = value;
    __syncthreads();
    if (t < 32) y[t] = chosen[t];
}
