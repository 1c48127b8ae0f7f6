// launch: report<<<1, 1>>>(5, 6)
// An index of 64 bits: %d takes half of it, and the next %d the other half.
extern "C" __global__ void report(int n, int m) {
    long long index = (long long)n * m;
    printf("index %d of %d\n", index, m);
}
