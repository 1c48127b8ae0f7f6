// launch: report<<<1, 1>>>(3)
// Devices have no %hhd.
extern "C" __global__ void report(int n) {
    printf("%hhd and %d\n", (signed char)n, n);
}
