// launch: hand<<<1, 64>>>(x: i32[8] = index, y: i32[1])
// with: seed=2 hidden
// The first warp assumes that the second, the last to reach the barrier, continues first.
extern "C" __global__ void hand(const int* x, int* y) {
    __shared__ int slot;
    int t = threadIdx.x;
    if (t == 63) slot = 100;
    __syncthreads();
    if (t == 32) atomicExch(&slot, 5);
    if (t == 0) *y = x[atomicAdd(&slot, 0)];
}
