// launch: through_mbarrier<<<1, 64>>>(a: u32[32])
// target: compute_80
// One lane arrives for all lanes of its warp, which it has not met: it releases what it wrote itself.
extern "C" __global__ void through_mbarrier(unsigned* out) {
    __shared__ unsigned s[32];
    __shared__ unsigned long long bar;
    unsigned at = __cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        s[threadIdx.x] = threadIdx.x * 3;
        if (threadIdx.x == 0) asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at) : "memory");
    } else {
        unsigned done = 0;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(at)
                         : "memory");
        out[threadIdx.x - 32] = s[63 - threadIdx.x];
    }
}
