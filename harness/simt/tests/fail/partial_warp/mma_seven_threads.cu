// target: compute_80
// launch: product<<<1, 7>>>(x: u32[32] = 0, y: f32[32])
// A block of seven threads: the other lanes of the warp do not exist, but the product needs their fragments.
extern "C" __global__ void product(const unsigned* x, float* y) {
    unsigned t = threadIdx.x, a = x[t];
    float d0, d1, d2, d3;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%5, %5, %5, %5};"
                 : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3) : "r"(a), "f"(0.0f));
    y[t] = d0 + d1 + d2 + d3;
}
