// launch: load<<<1, 32>>>(x: u32[128] = index, y: u32[32], 20)
// Threads beyond n have returned before the tile is loaded.
extern "C" __global__ void load(const unsigned* x, unsigned* y, int n) {
    if (threadIdx.x >= n) return;
    unsigned r[8];
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
                 : "l"(x));
    y[threadIdx.x] = r[0];
}
