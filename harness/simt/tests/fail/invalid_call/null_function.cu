// launch: apply<<<1, 32>>>(x: i32[32] = index)
// A table of functions with a hole in it.
typedef int (*Function)(int);
__device__ __noinline__ int twice(int v) { return 2 * v; }
__device__ __noinline__ int next(int v) { return v + 1; }
__device__ Function table[3] = {twice, next, nullptr};
extern "C" __global__ void apply(int* x) {
    x[threadIdx.x] = table[x[threadIdx.x] % 3](x[threadIdx.x]);
}
