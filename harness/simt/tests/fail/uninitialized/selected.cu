// launch: limit<<<1, 32>>>(y: u32[32] = 7, 20)
// A branch around one addition depends on a value that was never written; either way, the sum is stored.
extern "C" __global__ void limit(unsigned* y, int n) {
    __shared__ unsigned s[32];
    unsigned t = threadIdx.x, sum = y[t];
    if (t < n) s[t] = t;
    __syncwarp();
    asm volatile("{ .reg .pred p;\n"
                 "  setp.gt.u32 p, %1, 5;\n"
                 "  @!p bra $L_past;\n"
                 "  add.u32 %0, %0, 100;\n"
                 "$L_past:\n }"
                 : "+r"(sum) : "r"(s[t]));
    y[t] = sum;
}
