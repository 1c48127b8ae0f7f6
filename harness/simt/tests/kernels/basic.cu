// Straight kernels: every element its thread.

extern "C" __global__ void vecadd(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

extern "C" __global__ void indices(int* out) {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int size = blockDim.x * blockDim.y * blockDim.z;
    out[block * size + thread] = threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z + 1000000 * (block % 7);
}
