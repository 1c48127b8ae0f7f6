// launch: rounds<<<4, 32>>>(x: i32[128] = index, y: i32[128], arrived: u32[1])
// with: cooperative
// A barrier of the whole grid, by hand: all blocks are resident.
__device__ void grid_sync(unsigned* arrived, unsigned round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned*)arrived < (round + 1) * gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void rounds(int* x, int* y, unsigned* arrived) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 3; k++) {
        y[i] = x[(i + 37) % 128];
        grid_sync(arrived, 2 * k);
        x[i] = y[(i + 11) % 128];
        grid_sync(arrived, 2 * k + 1);
    }
}
