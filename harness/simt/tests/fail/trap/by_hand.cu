// launch: check<<<2, 64>>>(x: i32[128] = index)
// The kernel stops itself where it cannot continue.
extern "C" __global__ void check(const int* x) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (x[i] == 70) __trap();
}
