// launch: count<<<2, 32>>>(n: i32[1], y: i32[64])
// One side is atomic, the other reads without.
extern "C" __global__ void count(int* n, int* y) {
    if (blockIdx.x == 0) atomicAdd(n, 1);
    else y[threadIdx.x] = *n;
}
