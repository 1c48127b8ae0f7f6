// launch: shift<<<1, 64>>>(a: i32[64] = index, b: i32[64], 2048)
// So far beyond its end that it lands in another allocation.
extern "C" __global__ void shift(int* a, int* b, int distance) {
    int i = threadIdx.x;
    b[i] = a[i];
    a[i + distance] = 0;
}
