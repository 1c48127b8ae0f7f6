// target: compute_90
// launch: publish<<<1, 64>>>(y: f32[64])
// A barrier alone does not order plain stores before a copy in bulk: that reads shared memory by another way.
extern "C" __global__ void publish(float* y) {
    __shared__ alignas(16) float tile[64];
    int t = threadIdx.x;
    tile[t] = 2 * t;
    __syncthreads();
    if (t == 0) {
        unsigned from = __cvta_generic_to_shared(tile);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" :: "l"(y), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
