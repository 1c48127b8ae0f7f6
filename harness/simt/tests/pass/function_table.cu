// launch: apply<<<1, 32>>>(x: i32[32] = index)
typedef int (*Function)(int);
__device__ __noinline__ int twice(int v) { return 2 * v; }
__device__ __noinline__ int next(int v) { return v + 1; }
__device__ Function table[2] = {twice, next};
extern "C" __global__ void apply(int* x) {
    x[threadIdx.x] = table[x[threadIdx.x] % 2](x[threadIdx.x]);
}
