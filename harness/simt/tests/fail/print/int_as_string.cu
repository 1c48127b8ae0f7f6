// launch: report<<<1, 1>>>(7)
// %s takes the address of a string, and is given an int.
extern "C" __global__ void report(int n) {
    printf("value %s\n", n);
}
