// launch: count<<<4, 32>>>(n: u32[1])
// Atomics of the block's scope, from several blocks.
extern "C" __global__ void count(unsigned* n) {
    asm volatile("red.relaxed.cta.global.add.u32 [%0], 1;" :: "l"(n) : "memory");
}
