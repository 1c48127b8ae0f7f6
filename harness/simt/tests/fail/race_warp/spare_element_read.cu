// launch: compact<<<1, 32>>>(x: u32[32] = index, y: u32[32])
// The lanes store unwanted values to a spare element, all at once and without order, and one lane reads that
// element behind a barrier.
extern "C" __global__ void compact(const unsigned* x, unsigned* y) {
    __shared__ unsigned chosen[33];
    unsigned lane = threadIdx.x, value = x[lane];
    chosen[value % 2 ? 32 : lane / 2] = value;
    __syncthreads();
    y[lane] = chosen[lane < 16 ? lane : 32];
}
