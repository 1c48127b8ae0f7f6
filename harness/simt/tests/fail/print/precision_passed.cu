// launch: report<<<1, 1>>>(3)
// Devices take a width as an argument, but no precision.
extern "C" __global__ void report(int n) {
    printf("%*d: %.*f\n", 6, n, 2, 2.0 / n);
}
