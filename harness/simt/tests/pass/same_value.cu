// launch: in_warp<<<1, 32>>>(a: u32[1])
// launch: in_block<<<1, 128>>>(b: u32[1], 64)
// launch: in_grid<<<4, 64>>>(c: u32[8], x: u32[256] = index)
// Several threads write one value to one place: no matter which comes last. That holds in a warp, a block and a grid.
extern "C" __global__ void in_warp(unsigned* out) {
    out[0] = 7;
}
extern "C" __global__ void in_block(unsigned* out, int n) {
    __shared__ unsigned s[64];
    s[threadIdx.x % n] = 7;
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < n; k++) sum += s[k];
    out[0] = sum;
}
extern "C" __global__ void in_grid(unsigned* seen, const unsigned* x) {
    seen[x[blockIdx.x * 64 + threadIdx.x] % 8] = 1;
}
