// launch: share<<<1, 64>>>(y: i32[64])
// One thread frees what all read, and nothing makes it wait for them.
extern "C" __global__ void share(int* y) {
    __shared__ int* table;
    int t = threadIdx.x;
    if (t == 0) {
        table = (int*)malloc(64 * sizeof(int));
        for (int i = 0; i < 64; i++) table[i] = 2 * i;
    }
    __syncthreads();
    if (t == 0) free(table);
    y[t] = table[63 - t];
}
