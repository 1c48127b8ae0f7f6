// launch: recursions<<<1, 32>>>(n: i32[32] = index % 4, out: i64[192])
// launch: plain<<<1, 32>>>(out)
// Functions that call themselves, to a depth that differs from lane to lane.
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__device__ __noinline__ long long factorial(int n) { return n == 0 ? 1 : n * factorial(n - 1); }

__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ bool odd(int n);
__device__ __noinline__ bool even(int n) { return n == 0 ? true : odd(n - 1); }
__device__ __noinline__ bool odd(int n) { return n == 0 ? false : even(n - 1); }

// Local arrays of the frames, addressed through pointers by the frames above them.
__device__ __noinline__ void quicksort(int* x, int from, int to) {
    if (to - from < 2) return;
    int less[4], more[4], l = 0, m = 0, pivot = x[from];
    for (int i = from + 1; i < to; i++) {
        if (x[i] < pivot) less[l++] = x[i]; else more[m++] = x[i];
    }
    quicksort(less, 0, l);
    quicksort(more, 0, m);
    for (int i = 0; i < l; i++) x[from + i] = less[i];
    x[from + l] = pivot;
    for (int i = 0; i < m; i++) x[from + l + 1 + i] = more[i];
}

struct Pair { long long a; int b; char c; };

// A structure by value, there and back.
__device__ __noinline__ Pair swing(Pair p, int n) {
    if (n == 0) return p;
    Pair q = swing(Pair{p.b, (int)p.a + n, (char)(p.c + 1)}, n - 1);
    return Pair{q.a + p.a, q.b + p.b, (char)(q.c + p.c)};
}

// The lanes of the warp meet at every depth.
__device__ __noinline__ int sums(int v, int n) {
    if (n == 0) return v;
    __syncwarp();
    int other = __shfl_xor_sync(0xffffffff, v, 1 << n % 5);
    return sums(v + other, n - 1) - other;
}

typedef int (*Step)(int);
__device__ __noinline__ int down(int n);
__device__ __noinline__ int again(int n);
__device__ Step steps[2] = {down, again};
__device__ __noinline__ int down(int n) { return n <= 0 ? 100 : steps[n % 2](n - 1) + 1; }
__device__ __noinline__ int again(int n) { return n <= 0 ? 1000 : steps[n % 2](n - 2) * 2; }

extern "C" __global__ void recursions(const int* n, long long* out) {
    int t = threadIdx.x;
    out[t] = fib(n[t] + t % 3) + 1000 * factorial(n[t]);
    out[32 + t] = ackermann(n[t] % 2, n[t]) * 10 + (even(n[t]) ? 1 : 0) + (odd(t) ? 2 : 0);
    int x[4];
    for (int i = 0; i < 4; i++) x[i] = (i * 3 + t) % 4;
    quicksort(x, 0, 4 - t % 3);
    long long digits = 0;
    for (int i = 0; i < 4; i++) digits = digits * 10 + x[i];
    out[64 + t] = digits;
    Pair p = swing(Pair{t, 1, 'a'}, n[t]);
    out[96 + t] = p.a * 1000 + p.b * 10 + p.c % 10;
    out[128 + t] = sums(t, 3);
    out[160 + t] = steps[t % 2](n[t]);
}

// A kernel of the same module that calls none of them.
extern "C" __global__ void plain(long long* out) { out[threadIdx.x] += 1; }
