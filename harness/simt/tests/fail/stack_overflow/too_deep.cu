// launch: k<<<1, 32>>>(8, out: i64[32], sink: i32[1])
// launch: k<<<1, 32>>>(40, out, sink)
// Each call keeps an array of 64 bytes. A stack of 1024 bytes has room for the first launch, and not for the second.
__device__ __noinline__ long long deep(int n, volatile int* sink) {
    volatile int a[16];
    for (int i = 0; i < 16; i++) a[i] = n + i;
    if (n == 0) return *sink;
    long long r = deep(n - 1, sink);
    return r + a[n % 16];
}
extern "C" __global__ void k(int n, long long* out, volatile int* sink) { out[threadIdx.x] = deep(n, sink); }
