// launch: compact<<<1, 64>>>(x: u32[128] = index, y: u32[128])
// Each warp moves its even numbers to the front of its array. The lanes store the odd numbers to a spare element behind
// the others, which nothing reads before all elements are set again.
extern "C" __global__ void compact(const unsigned* x, unsigned* y) {
    __shared__ unsigned all[2][33];
    unsigned lane = threadIdx.x % 32, first = threadIdx.x / 32 * 64;
    unsigned* chosen = all[threadIdx.x / 32];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        unsigned value = x[first + 32 * k + lane];
        chosen[value % 2 ? 32 : 16 * k + lane / 2] = value;
    }
    __syncwarp();
    y[first + lane] = chosen[lane];
    __syncthreads();
    chosen[lane + 1] = lane;
    __syncthreads();
    y[first + 32 + lane] = chosen[lane + 1];
}
