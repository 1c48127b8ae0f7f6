// launch: report<<<1, 1>>>(3)
// Devices have no %n, which would write a number through a pointer.
extern "C" __global__ void report(int n) {
    int written = 0;
    printf("%d%n\n", n, &written);
}
