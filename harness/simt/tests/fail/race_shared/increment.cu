// launch: count<<<1, 64>>>(n: i32[1])
// A counter of the block, incremented by all its threads.
extern "C" __global__ void count(int* n) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    s += 1;
    __syncthreads();
    if (threadIdx.x == 0) *n = s;
}
