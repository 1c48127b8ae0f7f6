// launch: share<<<1, 32>>>(y: i32[32])
// One thread has allocated the block, and each frees it.
extern "C" __global__ void share(int* y) {
    __shared__ int* table;
    int t = threadIdx.x;
    if (t == 0) {
        table = (int*)malloc(32 * sizeof(int));
        for (int i = 0; i < 32; i++) table[i] = 2 * i;
    }
    __syncthreads();
    y[t] = table[31 - t];
    __syncthreads();
    free(table);
}
