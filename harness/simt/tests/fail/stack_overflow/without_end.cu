// launch: k<<<1, 32>>>(out: i32[32])
// Only lane 17 never ends.
__device__ __noinline__ int collatz(int n, int steps) {
    if (n == 1) return steps;
    return collatz(n % 2 == 0 ? n / 2 : 3 * n + 1, steps + 1) + (n < 0 ? 1 : 0);
}
extern "C" __global__ void k(int* out) {
    int t = threadIdx.x;
    out[t] = collatz(t % 4 == 1 && t > 16 && t < 20 ? 0 : t % 4 + 1, 0);
}
