// launch: report<<<1, 2>>>()
// with: checks=memcheck
// A call without arguments behind one with some.
extern "C" __global__ void report() {
    printf("thread %d\n", threadIdx.x);
    printf("value %d\n");
}
