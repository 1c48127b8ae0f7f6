// launch: load<<<1, 32>>>(out: u32[32], x: u16[520] = 1)
// target: compute_80
// A tile of halves that begins at an odd half: its rows are loaded in words.
extern "C" __global__ void load(unsigned* out, const unsigned short* x) {
    unsigned a[8];
    asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]), "=r"(a[4]), "=r"(a[5]), "=r"(a[6]), "=r"(a[7])
                 : "l"(x + 1));
    out[threadIdx.x] = a[0] + a[7];
}
