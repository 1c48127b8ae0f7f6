// launch: sums<<<1, 64>>>(x: f32[64] = 1, out: f32[128])
// The compiler may load ahead of the condition under which a value is wanted: reads of unset values do not matter
// where the value is discarded, be it by a select or by a second condition.
__device__ float next_or(const float* s, float other, int wanted) {
    float sum;
    unsigned at = (unsigned)__cvta_generic_to_shared(s);
    asm volatile("{ .reg .f32 a; .reg .f32 b; .reg .pred p;\n"
                 "  setp.ne.s32 p, %3, 0;\n"
                 "  ld.shared.f32 a, [%1];\n"
                 "  add.f32 b, a, %2;\n"
                 "  selp.f32 %0, b, %2, p; }"
                 : "=f"(sum) : "r"(at), "f"(other), "r"(wanted) : "memory");
    return sum;
}
__device__ int both(const float* s, int wanted) {
    int result;
    unsigned at = (unsigned)__cvta_generic_to_shared(s);
    asm volatile("{ .reg .f32 a; .reg .pred p, q, r;\n"
                 "  setp.ne.s32 p, %2, 0;\n"
                 "  ld.shared.f32 a, [%1];\n"
                 "  setp.gt.f32 q, a, 0f00000000;\n"
                 "  and.pred r, q, p;\n"
                 "  selp.b32 %0, 1, 0, r; }"
                 : "=r"(result) : "r"(at), "r"(wanted) : "memory");
    return result;
}
extern "C" __global__ void sums(const float* x, float* out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 40) s[t] = x[t];
    __syncthreads();
    out[t] = next_or(&s[t], 2, t < 40);
    out[64 + t] = both(&s[t], t < 40);
}
