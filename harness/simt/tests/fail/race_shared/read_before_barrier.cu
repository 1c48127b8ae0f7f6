// launch: count<<<1, 64>>>(n: i32[1])
// The result is read before all have added.
extern "C" __global__ void count(int* n) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, 1);
    if (threadIdx.x == 0) *n = s;
}
