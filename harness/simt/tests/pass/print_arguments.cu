// launch: report<<<1, 2>>>(x: f32[4] = index, 3)
// All kinds of arguments that a format may take, also where the compiler shares their place or their stores.
extern "C" __device__ int vprintf(const char*, void*);
struct Mine {
    int a, b;
    double c;
};
__device__ __noinline__ void say(const char* what, int n, double x) {
    printf("%s %d %g\n", what, n, x);
}
extern "C" __global__ void report(const float* x, int n) {
    int t = threadIdx.x;
    printf("%d %f %d\n", n, x[t], t);
    printf("%d\n", t);
    printf("%d %d\n", 1, 2);
    printf("%5.1f %-6d| %c %s %%\n", 3.14, 2, 'x', "text");
    printf("%llx\n", __double_as_longlong(1.5));
    long long bits = __double_as_longlong(x[t]);
    printf("%d %d\n", (int)bits, (int)(bits >> 32));
    printf("%*d %.2f\n", 6, n, 2.0 / 3);
    printf("%d %hd %u %lu %llu %p\n", (char)t, (short)t, 7u, 8ul, 4ull, (void*)16);
    for (int i = 0; i < n; i++) printf("%d %d %d %d\n", i, n, t, i * n);
    if (t > 0)
        printf("odd %d %f\n", n, x[1]);
    else
        printf("even %d %f\n", n, x[1]);
    if (n > 2) printf("a %d %f\n", n, x[2]); else printf("b %d %f\n", n, x[2]);
    printf(n > 2 ? "more than %d\n" : "at most %d\n",
           2);
    printf("one more than the format takes: %d\n", 1, 2, 3);
    printf("no argument\n");
    say("a function's", t, 0.5);
    say("again", t, 0.25);
    // A structure of one's own, used again with a part of it changed.
    Mine mine = {1, 2, 3.5};
    vprintf("%d %d %g\n", &mine);
    mine.a = 7;
    vprintf("%d %d %g\n", &mine);
}
