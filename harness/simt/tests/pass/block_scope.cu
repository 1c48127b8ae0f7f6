// launch: count<<<4, 32>>>(n: u32[4])
// Atomics of the block's scope on what only this block touches.
extern "C" __global__ void count(unsigned* n) {
    asm volatile("red.relaxed.cta.global.add.u32 [%0], 1;" :: "l"(n + blockIdx.x) : "memory");
}
