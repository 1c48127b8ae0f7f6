// launch: mark<<<1, 32>>>(y: i32[32])
// The sixth byte of five lies in no array: in the gap before the next one, which begins at a multiple of 4.
extern "C" __global__ void mark(int* y) {
    __shared__ unsigned char seen[5];
    __shared__ int count[32];
    int t = threadIdx.x;
    count[t] = t;
    if (t < 6) seen[t] = 1;
    __syncwarp();
    y[t] = count[t] + seen[t % 5];
}
