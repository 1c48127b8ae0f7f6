// launch: report<<<1, 1>>>(3)
// Devices have no %zu.
extern "C" __global__ void report(int n) {
    printf("%d numbers take %zu bytes\n", n, n * sizeof(float));
}
