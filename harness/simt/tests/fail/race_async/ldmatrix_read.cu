// target: compute_80
// launch: copy<<<1, 32>>>(x: u32[128] = index, y: u32[32])
// A matrix is loaded from the copies of other threads, behind a barrier of the warp but without a wait.
__device__ void copy16(unsigned to, const void* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to), "l"(from) : "memory");
}
extern "C" __global__ void copy(const unsigned* x, unsigned* y) {
    __shared__ alignas(16) unsigned tile[128];
    int t = threadIdx.x;
    unsigned r, at = __cvta_generic_to_shared(tile);
    copy16(at + t * 16, &x[t * 4]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at + (t % 8) * 16) : "memory");
    y[t] = r;
}
