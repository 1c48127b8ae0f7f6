// launch: report<<<1, 32>>>()
// %f takes a double, and is given an int.
extern "C" __global__ void report() {
    printf("half of it: %6.2f\n", threadIdx.x / 2);
}
