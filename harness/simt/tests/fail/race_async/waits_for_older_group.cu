// target: compute_80
// launch: stages<<<1, 64>>>(x: f32[1024] = index, y: f32[64])
// Two tiles are in flight, and one group may stay so: right in the loop, but nothing follows the last tile.
__device__ void copy16(void* to, const void* from) {
    unsigned at = __cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at), "l"(from) : "memory");
}
extern "C" __global__ void stages(const float* x, float* y) {
    __shared__ alignas(16) float tile[2][256];
    int t = threadIdx.x;
    float sum = 0;
    copy16(&tile[0][t * 4], &x[t * 4]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int k = 0; k < 4; k++) {
        if (k + 1 < 4) {
            copy16(&tile[(k + 1) % 2][t * 4], &x[(k + 1) * 256 + t * 4]);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        sum += tile[k % 2][255 - t];
        __syncthreads();
    }
    y[t] = sum;
}
