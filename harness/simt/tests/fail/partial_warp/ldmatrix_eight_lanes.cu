// target: compute_80
// launch: load<<<1, 32>>>(y: u32[32])
// One matrix takes eight addresses, but all lanes get a part of it.
extern "C" __global__ void load(unsigned* y) {
    __shared__ alignas(16) unsigned tile[32];
    unsigned t = threadIdx.x, r = 0;
    tile[t] = t;
    __syncwarp();
    if (t < 8) {
        unsigned at = __cvta_generic_to_shared(&tile[t * 4]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at));
    }
    y[t] = r;
}
