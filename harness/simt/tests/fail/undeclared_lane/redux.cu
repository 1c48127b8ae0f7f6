// target: compute_80
// launch: sum<<<1, 32>>>(x: i32[32] = index, y: i32[32])
// The sum is one of the lower half, and all lanes request it.
extern "C" __global__ void sum(const int* x, int* y) {
    y[threadIdx.x] = __reduce_add_sync(0x0000ffffu, x[threadIdx.x]);
}
