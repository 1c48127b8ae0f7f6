// launch: load<<<1, 32>>>(out: u32[32], x: u16[520] = 1)
// launch: store<<<1, 32>>>(sums: f32[520])
// target: compute_80
// Rows of tiles need not lie at multiples of what is loaded of them: an H200 loads and stores these.
extern "C" __global__ void load(unsigned* out, const unsigned short* x) {
    unsigned a[8];
    asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 17;"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]), "=r"(a[4]), "=r"(a[5]), "=r"(a[6]), "=r"(a[7])
                 : "l"(x));
    out[threadIdx.x] = a[0] + a[7];
}
extern "C" __global__ void store(float* out) {
    float a = 1;
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1, %1, %1, %1, %1, %1, %1, %1}, 17;" ::"l"(
                     out),
                 "f"(a)
                 : "memory");
}
