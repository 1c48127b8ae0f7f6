// launch: divide<<<1, 32>>>(x: i32[32] = index % 4, y: i32[32])
// Some compilers divide in all threads and choose then: a quotient by zero that is never used is not a mistake.
extern "C" __global__ void divide(const int* x, int* y) {
    int v = x[threadIdx.x], q;
    asm("{ .reg .pred p; .reg .s32 q;\n\t"
        "div.s32 q, 12, %1;\n\t"
        "setp.ne.s32 p, %1, 0;\n\t"
        "selp.s32 %0, q, 0, p; }"
        : "=r"(q) : "r"(v));
    y[threadIdx.x] = q;
}
