// launch: report<<<1, 2>>>(x: i32[2] = index)
// Two conversions, one argument. The place of the second still holds what an earlier call left there.
extern "C" __global__ void report(const int* x) {
    int i = threadIdx.x;
    printf("thread %d of %d\n", i, blockDim.x);
    printf("x[%d] = %d\n", x[i]);
}
