// launch: report<<<1, 2>>>(x: i32[2] = index, 2)
// with: checks=memcheck
// The same call in a loop.
extern "C" __global__ void report(const int* x, int n) {
    for (int k = 0; k < n; k++) {
        printf("round %d: %d of %d\n", k, x[threadIdx.x]);
    }
}
