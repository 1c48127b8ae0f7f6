// launch: caller<<<1, 64>>>(x: i32[40])
// The access is in a function that was inlined.
__device__ __forceinline__ void put(int* x, int i, int v) { x[i] = v; }
extern "C" __global__ void caller(int* x) {
    put(x, threadIdx.x, 7);
}
