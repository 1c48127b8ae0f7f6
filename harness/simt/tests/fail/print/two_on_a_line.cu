// launch: report<<<1, 2>>>(x: i32[2] = index)
// with: checks=memcheck
// Two calls on one line, in one of which an argument is missing.
extern "C" __global__ void report(const int* x) {
    int i = threadIdx.x;
    if (i == 0) printf("thread %d of %d\n", i, blockDim.x); else printf("x[%d] = %d\n", x[i]);
}
