// launch: rounds<<<1, 64>>>(n: i32[64] = index % 7, y: i32[64])
// A barrier in a loop that threads leave after different numbers of rounds.
extern "C" __global__ void rounds(const int* n, int* y) {
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n[t]; k++) {
        sum += k;
        __syncthreads();
    }
    y[t] = sum;
}
