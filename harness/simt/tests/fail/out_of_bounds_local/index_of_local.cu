// launch: pick<<<1, 8>>>(at: i32[8] = 4000, y: i32[8])
// An index that no local array has.
extern "C" __global__ void pick(const int* at, int* y) {
    int a[4];
    for (int i = 0; i < 4; i++) a[i] = i + y[i];
    y[threadIdx.x] = a[at[threadIdx.x]];
}
