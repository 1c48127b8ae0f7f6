// launch: average<<<2, 32>>>(sum: i32[64] = index, count: i32[64] = index % 4, y: i32[64])
// Some groups are empty.
extern "C" __global__ void average(const int* sum, const int* count, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = sum[i] / count[i];
}
