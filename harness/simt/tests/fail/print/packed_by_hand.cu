// launch: report<<<1, 1>>>(5)
// Arguments packed by the program itself, the second of which was never written.
extern "C" __device__ int vprintf(const char*, void*);
extern "C" __global__ void report(int n) {
    int arguments[2];
    arguments[0] = n;
    vprintf("%d %d\n", arguments);
}
