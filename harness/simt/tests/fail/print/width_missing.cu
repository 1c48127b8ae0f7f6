// launch: report<<<1, 1>>>(2.5)
// with: checks=memcheck
// The star takes an argument, too.
extern "C" __global__ void report(double x) {
    printf("%*.2f\n", x);
}
