// launch: look<<<1, 32>>>(y: i32[32])
__constant__ int table[4] = {1, 2, 3, 5};
extern "C" __global__ void look(int* y) {
    y[threadIdx.x] = table[threadIdx.x % 4];
}
