// launch: hello<<<1, 1>>>(7)
// %s takes the address of a string, and is given a number.
extern "C" __device__ int vprintf(const char*, void*);
extern "C" __global__ void hello(int n) {
    long long arguments[1] = {n};
    vprintf("value %s\n", arguments);
}
