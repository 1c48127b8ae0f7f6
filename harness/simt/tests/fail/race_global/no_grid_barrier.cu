// launch: rounds<<<4, 32>>>(x: i32[128] = index, y: i32[128])
// with: cooperative
// __syncthreads() is used as a barrier of the grid.
extern "C" __global__ void rounds(int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 3; k++) {
        y[i] = x[(i + 37) % 128];
        __syncthreads();
        x[i] = y[(i + 11) % 128];
        __syncthreads();
    }
}
