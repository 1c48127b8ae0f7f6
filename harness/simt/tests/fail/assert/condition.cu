// launch: check<<<1, 32>>>(x: i32[32] = index)
// What assert() of <assert.h> becomes.
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
extern "C" __global__ void check(const int* x) {
    if (!(x[threadIdx.x] < 20)) __assertfail("x[threadIdx.x] < 20", "condition.cu", 5, "check", 1);
}
