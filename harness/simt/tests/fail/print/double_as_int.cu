// launch: report<<<1, 1>>>(2.5)
// A float is passed as a double, of which %d takes half.
extern "C" __global__ void report(float x) {
    printf("x = %d\n", x);
}
