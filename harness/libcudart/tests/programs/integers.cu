// Integers: dot products of bytes, products of twice the width, funnels, bytes side by side, bits, averages, 128 bits.
#include "common.cuh"

__global__ void try_all(unsigned long long *out, int a, unsigned b, long long c) {
    int i = 0;
    out[i++] = __dp4a(0x01020304, 0x05060708, 100);
    out[i++] = (unsigned)__dp4a((int)0xff020304, (int)0x05060708, 0);
    out[i++] = __dp4a(0xff020304u, 0x05060708u, 0u);
    out[i++] = __dp2a_lo(0x00030002, 0x01020304, 5);
    out[i++] = __dp2a_hi(0x00030002u, 0x01020304u, 5u);
    out[i++] = (unsigned)__mulhi(a, -3);
    out[i++] = __umulhi(b, 0x80000000u);
    out[i++] = __mul64hi(c, c);
    out[i++] = __umul64hi(~0ull, ~0ull);
    out[i++] = (unsigned)__mul24(0x123456, 3);
    out[i++] = __funnelshift_l(0x12345678u, 0x9abcdef0u, 8);
    out[i++] = __funnelshift_r(0x12345678u, 0x9abcdef0u, 36);
    out[i++] = __funnelshift_lc(0x12345678u, 0x9abcdef0u, 40);
    out[i++] = __byte_perm(0x12345678, 0x9abcdef0, 0x7531);
    out[i++] = (unsigned)__sad(-5, 7, 1u);
    out[i++] = (unsigned)__hadd(-5, 2);
    out[i++] = __urhadd(4u, 7u);
    out[i++] = __vadd4(0xff01ff02u, 0x02030405u);
    out[i++] = __vaddus4(0xff01ff02u, 0x02030405u);
    out[i++] = __vabsdiffu4(0x10203040u, 0x20103050u);
    out[i++] = __vmaxs2(0x8000ffffu, 0x00010001u);
    out[i++] = __vcmpeq4(0x01020304u, 0x01ff03ffu);
    out[i++] = (unsigned long long)(((unsigned __int128)c * c) >> 64);
    out[i++] = (unsigned)(a / 7) + (unsigned)(a % 7);
    out[i++] = (unsigned long long)(-c / 1000003);
    out[i++] = b / 10u + b % 10u;
    out[i++] = (unsigned)abs(a) + (unsigned)min(a, 5) + (unsigned)max(a, 5);
}

int main() {
    const int n = 27;
    unsigned long long *p, host[n];
    OK(cudaMalloc(&p, sizeof host));
    OK(cudaMemset(p, 0, sizeof host));
    const int a = -1234567891;
    const unsigned b = 4000000001u;
    const long long c = 123456789012345678LL;
    try_all<<<1, 1>>>(p, a, b, c);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    const unsigned long long expected[n] = {
        1 * 5 + 2 * 6 + 3 * 7 + 4 * 8 + 100,
        (unsigned)(-1 * 5 + 2 * 6 + 3 * 7 + 4 * 8),
        255 * 5 + 2 * 6 + 3 * 7 + 4 * 8,
        2 * 4 + 3 * 3 + 5,
        2 * 2 + 3 * 1 + 5,
        (unsigned)(((long long)a * -3) >> 32),
        b / 2,
        (unsigned long long)(((__int128)c * c) >> 64),
        ~0ull - 1,
        0x123456 * 3,
        0xbcdef012,
        0x01234567,
        0x12345678,
        0x9ade1256,
        13,
        (unsigned)-2,
        6,
        0x01040307,
        0xff04ff07,
        0x10100010,
        0x00010001,
        0xff00ff00,
        (unsigned long long)(((unsigned __int128)c * c) >> 64),
        (unsigned)(a / 7) + (unsigned)(a % 7),
        (unsigned long long)(-c / 1000003),
        b / 10u + b % 10u,
        (unsigned)-a + (unsigned)a + 5u,
    };
    for (int i = 0; i < n; i++) {
        if (host[i] != expected[i]) printf("%d: %llx, not %llx\n", i, host[i], expected[i]);
        IS(host[i] == expected[i]);
    }
    OK(cudaFree(p));
    puts("integers are right");
}
