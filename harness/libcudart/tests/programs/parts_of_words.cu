// Instructions for pixels: operands that are a byte or half of a word, with saturation, and a second operation on the result.
#include "common.cuh"
#include <algorithm>
#include <climits>

#define FORMS 9
#define FORM(number, text)                                                                                             \
    asm volatile(text : "=r"(result) : "r"(x), "r"(y), "r"(z));                                                        \
    out[number * 64 + threadIdx.x] = result;

__host__ __device__ void operands(int i, int *x, int *y, int *z) {
    *x = int(0x7f80ff01u + i * 0x01234567u), *y = int(~(unsigned)*x * 3u), *z = 100 - 7 * i;
}

__global__ void all(int *out) {
    int x, y, z, result;
    operands(threadIdx.x, &x, &y, &z);
    FORM(0, "vadd.s32.s32.s32 %0, %1.b0, %2.b3;")
    FORM(1, "vsub.s32.u32.s32.sat %0, %1.h0, %2;")
    FORM(2, "vabsdiff.s32.s32.s32.add %0, %1.h1, %2.h0, %3;")
    FORM(3, "vmin.s32.s32.s32.max %0, %1.b2, %2.b1, %3;")
    FORM(4, "vset.s32.s32.lt %0, %1.b0, %2.b1;")
    FORM(5, "vshl.u32.u32.u32.clamp %0, %1, %2.b0;")
    FORM(6, "vmad.s32.s32.s32.sat %0, %1.h0, %2.h1, %3;")
    FORM(7, "vmax.s32.u32.u32 %0, %1.b3, %2.b0;")
    FORM(8, "vadd.s32.s32.s32.sat %0, %1, %2;")
}

int main() {
    static int host[FORMS * 64];
    int *out;
    OK(cudaMalloc(&out, sizeof host));
    all<<<1, 64>>>(out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    auto byte = [](int v, int k) { return (int)(signed char)(v >> 8 * k); };
    auto half = [](int v, int k) { return (int)(short)(v >> 16 * k); };
    auto held = [](long long v) { return (int)std::clamp<long long>(v, INT_MIN, INT_MAX); };
    for (int i = 0; i < 64; i++) {
        int x, y, z;
        operands(i, &x, &y, &z);
        unsigned by = (unsigned char)y;
        int expected[FORMS] = {
            byte(x, 0) + byte(y, 3),
            held((long long)(unsigned short)x - y),
            std::abs(half(x, 1) - half(y, 0)) + z,
            std::max(std::min(byte(x, 2), byte(y, 1)), z),
            byte(x, 0) < byte(y, 1),
            by > 31 ? 0 : int((unsigned)x << by),
            held((long long)half(x, 0) * half(y, 1) + z),
            (int)std::max((unsigned)x >> 24, (unsigned)(unsigned char)y),
            held((long long)x + y),
        };
        for (int form = 0; form < FORMS; form++) {
            if (host[form * 64 + i] == expected[form]) continue;
            printf("form %d of %d: %d, not %d\n", form, i, host[form * 64 + i], expected[form]);
            return 1;
        }
    }
    puts("all parts are right");
}
