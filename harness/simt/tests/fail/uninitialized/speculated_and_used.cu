// launch: sums<<<1, 64>>>(x: f32[64] = 1, out: f32[64])
// Behind a select like those of a compiler that loads ahead of a condition; but in two lanes the value is wanted.
extern "C" __global__ void sums(const float* x, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 40) s[t] = x[t];
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[t]);
    float sum;
    asm volatile("{ .reg .f32 a; .reg .f32 b; .reg .pred p;\n"
                 "  setp.lt.s32 p, %2, 42;\n"
                 "  ld.shared.f32 a, [%1];\n"
                 "  add.f32 b, a, 0f3F800000;\n"
                 "  selp.f32 %0, b, 0f00000000, p; }"
                 : "=f"(sum) : "r"(at), "r"(t) : "memory");
    out[t] = sum;
}
