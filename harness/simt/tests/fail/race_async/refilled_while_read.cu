// target: compute_80
// launch: stages<<<1, 64>>>(x: f32[1024] = index, y: f32[64])
// The next tile is fetched into the buffer that slower warps still read.
__device__ void copy16(void* to, const void* from) {
    unsigned at = __cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at), "l"(from) : "memory");
}
extern "C" __global__ void stages(const float* x, float* y) {
    __shared__ alignas(16) float tile[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        copy16(&tile[t * 4], &x[k * 256 + t * 4]);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        sum += tile[255 - t];
    }
    y[t] = sum;
}
