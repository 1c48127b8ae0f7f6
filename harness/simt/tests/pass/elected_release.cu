// launch: through_mbarrier<<<1, 64>>>(a: u32[32])
// launch: through_flag<<<2, 32>>>(b: u32[32], g: u32[32], flag: u32[1])
// launch: by_tiles<<<2, 32>>>(c: u32[32], h: u32[32], flags: u32[2])
// target: compute_80
// One lane releases what all lanes of its warp wrote before they met.
extern "C" __global__ void through_mbarrier(unsigned* out) {
    __shared__ unsigned s[32];
    __shared__ unsigned long long bar;
    unsigned at = __cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        s[threadIdx.x] = threadIdx.x * 3;
        __syncwarp();
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

extern "C" __global__ void through_flag(unsigned* out, unsigned* g, unsigned* flag) {
    if (blockIdx.x == 0) {
        g[threadIdx.x] = threadIdx.x * 3;
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0) == 0) {}
            __threadfence();
        }
        __syncwarp();
        out[threadIdx.x] = g[31 - threadIdx.x];
    }
}

// Each half of a warp has a lane of its own that sets a flag.
extern "C" __global__ void by_tiles(unsigned* out, unsigned* h, unsigned* flags) {
    unsigned tile = threadIdx.x / 16, mask = 0xffffu << (16 * tile);
    if (blockIdx.x == 0) {
        h[threadIdx.x] = threadIdx.x * 3;
        __syncwarp(mask);
        if (threadIdx.x % 16 == 0) {
            __threadfence();
            atomicExch(flags + tile, 1);
        }
    } else {
        if (threadIdx.x % 16 == 0) {
            while (atomicAdd(flags + tile, 0) == 0) {}
            __threadfence();
        }
        __syncwarp(mask);
        out[threadIdx.x] = h[threadIdx.x ^ 15];
    }
}
