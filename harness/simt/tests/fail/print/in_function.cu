// launch: report<<<1, 2>>>(x: i32[2] = index)
// with: checks=memcheck
// A function that prints, called twice.
__device__ void show(int i, int v) {
    printf("x[%d] = %d of %d\n", i, v);
}
extern "C" __global__ void report(const int* x) {
    int i = threadIdx.x;
    printf("thread %d of %d\n", i, blockDim.x);
    show(i, x[i]);
    show(i + 1, x[i] + 1);
}
