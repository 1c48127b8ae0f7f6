// launch: sums<<<1, 8>>>(y: i32[8], 8)
// malloc does not clear what it gives.
extern "C" __global__ void sums(int* y, int n) {
    int* count = (int*)malloc(n * sizeof(int));
    for (int i = 0; i < 2 * n; i++) count[i % n] += i;
    y[threadIdx.x] = count[threadIdx.x];
    free(count);
}
