// target: compute_80
// launch: copy<<<1, 32>>>(x: f32[128] = index, y: f32[32], 1)
// The copies are read through an address that may lie anywhere.
__device__ void copy16(void* to, const void* from) {
    unsigned at = __cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at), "l"(from) : "memory");
}
extern "C" __global__ void copy(const float* x, float* y, int staged) {
    __shared__ alignas(16) float tile[128];
    int t = threadIdx.x;
    copy16(&tile[t * 4], &x[t * 4]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    const float* from = staged ? tile : x;
    y[t] = from[t * 4];
}
