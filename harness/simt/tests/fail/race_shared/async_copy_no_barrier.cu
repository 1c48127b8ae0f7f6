// target: compute_80
// launch: copy<<<1, 64>>>(x: f32[256] = index, y: f32[256])
// Each thread waits for its own copies, and reads what others have copied.
__device__ void copy16(void* to, const void* from) {
    unsigned at = __cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at), "l"(from) : "memory");
}
extern "C" __global__ void copy(const float* x, float* y) {
    __shared__ alignas(16) float tile[256];
    int t = threadIdx.x;
    copy16(&tile[t * 4], &x[t * 4]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    for (int k = 0; k < 4; k++) y[k * 64 + t] = tile[255 - k * 64 - t];
}
