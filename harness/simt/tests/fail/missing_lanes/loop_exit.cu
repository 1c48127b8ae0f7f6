// launch: count<<<1, 32>>>(n: i32[32] = index, y: i32[32])
// Lanes leave the loop one by one and wait behind it; the vote inside names all of them.
extern "C" __global__ void count(const int* n, int* y) {
    int l = threadIdx.x, rounds = 0;
    for (int k = 0; k < n[l]; k++) rounds += __any_sync(0xffffffffu, k > 3);
    __syncthreads();
    y[l] = rounds;
}
