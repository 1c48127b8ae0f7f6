// launch: even<<<1, 64>>>(y: i32[64] = raw)
// launch: use<<<1, 64>>>(y, z: i32[64])
// The first kernel writes every other element, the second reads all.
extern "C" __global__ void even(int* y) {
    if (threadIdx.x % 2 == 0) y[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void use(const int* y, int* z) { z[threadIdx.x] = y[threadIdx.x]; }
