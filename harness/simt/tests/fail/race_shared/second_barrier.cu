// launch: sums<<<1, 64>>>(x: f32[256] = 1, y: f32[1])
// The tile is filled again while others still read it: the loop needs a barrier at its end as well.
extern "C" __global__ void sums(const float* x, float* y) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 256; k += 64) {
        tile[t] = x[k + t];
        __syncthreads();
        for (int i = 0; i < 64; i++) sum += tile[i];
    }
    if (t == 0) *y = sum;
}
