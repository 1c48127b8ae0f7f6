// launch: compact<<<1, 64>>>(x: u32[64] = index, y: u32[32])
// What is not wanted goes to a spare element behind the others, from several threads at once. Nothing reads it.
extern "C" __global__ void compact(const unsigned* x, unsigned* y) {
    __shared__ unsigned chosen[33];
    unsigned t = threadIdx.x, value = x[t];
    chosen[value % 2 ? value / 2 : 32] = value;
    __syncthreads();
    if (t < 32) y[t] = chosen[t];
    __syncthreads();
    // The same memory is used again, and this time all of it is wanted.
    if (t < 33) chosen[t] = t;
    __syncthreads();
    if (t < 32) y[t] += chosen[t + 1];
}
