// target: compute_80
// launch: stages<<<2, 64>>>(x: f32[1024] = index, y: f32[128])
// Three tiles, two of which are in flight while one is used; in the end each thread reads its own copy without a barrier.
__device__ void copy16(void* to, const void* from) {
    unsigned at = __cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at), "l"(from) : "memory");
}
extern "C" __global__ void stages(const float* x, float* y) {
    __shared__ alignas(16) float tile[3][256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        copy16(&tile[k][t * 4], &x[k * 256 + t * 4]);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int k = 0; k < 4; k++) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        if (k + 2 < 4) copy16(&tile[(k + 2) % 3][t * 4], &x[(k + 2) * 256 + t * 4]);
        // A group that may be empty keeps the count.
        asm volatile("cp.async.commit_group;" ::: "memory");
        sum += tile[k % 3][255 - t];
    }
    __syncthreads();
    copy16(&tile[0][t * 4], &x[t * 4]);
    if (t % 2) {
        asm volatile("cp.async.wait_all;" ::: "memory");
        sum += tile[0][t * 4];
    } else {
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        sum -= tile[0][t * 4];
    }
    y[blockIdx.x * 64 + t] = sum;
}
