// launch: caller<<<1, 64>>>(x: i32[40])
// The access is in a function that is called.
__device__ __noinline__ void put(int* x, int i, int v) { x[i] = v; }
extern "C" __global__ void caller(int* x) {
    put(x, threadIdx.x, 7);
}
