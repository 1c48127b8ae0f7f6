// target: compute_80
// launch: product<<<1, 64>>>(x: u32[64] = 0, y: f32[64])
// Warps may choose, lanes may not; lanes that went different ways before come together again.
extern "C" __global__ void product(const unsigned* x, float* y) {
    __shared__ alignas(16) unsigned tile[64];
    unsigned t = threadIdx.x, a = x[t], r = 0;
    if (t % 3 == 0) a += x[t ^ 1];
    tile[t] = t;
    __syncwarp();
    float d0 = 1, d1 = 1, d2 = 1, d3 = 1;
    if (t < 32) {
        unsigned at = __cvta_generic_to_shared(&tile[t % 8 * 4]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at));
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%5, %5, %5, %5};"
                     : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3) : "r"(a), "f"(2.0f));
    }
    y[t] = d0 + d1 + d2 + d3 + r;
}
