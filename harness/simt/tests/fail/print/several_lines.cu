// launch: report<<<1, 2>>>(x: i32[2] = index)
// with: checks=memcheck
// A call over several lines, whose last argument is missing.
extern "C" __global__ void report(const int* x) {
    int i = threadIdx.x;
    printf("x[%d] = %d, %d in all\n",
           i,
           x[i]);
}
