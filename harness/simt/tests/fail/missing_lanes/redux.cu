// target: compute_80
// launch: sum<<<1, 32>>>(x: i32[32] = index, y: i32[32])
// Half of the warp takes the branch and the mask names all, of whom the others wait at the barrier behind it.
extern "C" __global__ void sum(const int* x, int* y) {
    int t = threadIdx.x, v = x[t];
    if (t < 16) v = __reduce_add_sync(0xffffffffu, v);
    __syncthreads();
    y[t] = v;
}
