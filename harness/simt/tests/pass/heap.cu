// launch: fill<<<2, 64>>>(y: i32[128])
// launch: sum<<<2, 64>>>(y)
// launch: churn<<<1, 64>>>(y, 40)
// Blocks of the kernels' own heap: written by one thread and read by others, kept from one launch to the next, freed elsewhere,
// and used again once the heap has been through.
__device__ int* rows[128];
extern "C" __global__ void fill(int* y) {
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    rows[i] = (int*)malloc((t + 1) * sizeof(int));
    for (int k = 0; k <= t; k++) rows[i][k] = k;
    __syncthreads();
    y[i] = rows[blockIdx.x * blockDim.x + 63 - t][63 - t];
}
extern "C" __global__ void sum(int* y) {
    int t = threadIdx.x, i = (1 - blockIdx.x) * blockDim.x + 63 - t;
    int sum = 0;
    for (int k = 0; k <= 63 - t; k++) sum += rows[i][k];
    free(rows[i]);
    y[blockIdx.x * blockDim.x + t] = sum;
}
extern "C" __global__ void churn(int* y, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        // All that is ever asked for is more than the heap has.
        int* p = (int*)malloc(8000);
        if (!p) continue;
        for (int k = 0; k < 2000; k += 250) p[k] = k;
        for (int k = 0; k < 2000; k += 250) sum += p[k];
        free(p);
    }
    y[threadIdx.x] = sum / 7000;
}
