// Mutant of hello_grid3d: the lane is taken from x alone, as if blocks had one dimension.
extern "C" __global__ void hello_grid3d() {
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    printf("Hello from thread (%u,%u,%u) in block (%u,%u,%u): index %u, warp %u, lane %u\n", threadIdx.x, threadIdx.y,
           threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z, block * threads + thread, thread / 32, threadIdx.x % 32);
}
