// launch: shift<<<1, 32>>>(a: i32[64] = index, b: i32[64], 2176)
// So far beyond its end that it lands inside another allocation, where no guard gap can catch it.
extern "C" __global__ void shift(int* a, int* b, int distance) {
    int i = threadIdx.x;
    b[i] = a[i];
    a[i + distance] = 0;
}
