// launch: all<<<1, 64>>>(y: i32[64] = raw)
// launch: use<<<1, 64>>>(y, z: i32[64])
extern "C" __global__ void all(int* y) { y[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void use(const int* y, int* z) { z[threadIdx.x] = y[threadIdx.x]; }
