// launch: contract<<<1, 1>>>(out: f32[4], half: u32[2], 1.1, 1.21, 3)
// A product and the difference that takes it are rounded once, as NVIDIA's assembler makes one instruction of them, unless
// the program asks for two: then the difference of 1.21 and the square of 1.1 is another.
extern "C" __global__ void contract(float* out, unsigned* half, float a, float b, int n) {
    out[0] = b - a * a;
    out[1] = a * a - b;
    out[2] = __fsub_rn(b, __fmul_rn(a, a));
    float rest = b;
    #pragma unroll 1
    for (int i = 1; i <= n; i++) rest = rest - a * i;
    out[3] = rest;
    // 1.0996 squared less 1.209, in half precision.
    unsigned short product, less;
    asm("mul.f16 %0, %1, %1;" : "=h"(product) : "h"((unsigned short)0x3c66));
    asm("sub.f16 %0, %1, %2;" : "=h"(less) : "h"((unsigned short)0x3cd6), "h"(product));
    half[0] = less;
    asm("mul.rn.f16 %0, %1, %1;" : "=h"(product) : "h"((unsigned short)0x3c66));
    asm("sub.rn.f16 %0, %1, %2;" : "=h"(less) : "h"((unsigned short)0x3cd6), "h"(product));
    half[1] = less;
}
