// launch: through_flag<<<2, 32>>>(b: u32[32], g: u32[32], flag: u32[1])
// One lane fences and sets a flag for all lanes of its warp, which it has not met.
extern "C" __global__ void through_flag(unsigned* out, unsigned* g, unsigned* flag) {
    if (blockIdx.x == 0) {
        g[threadIdx.x] = threadIdx.x * 3;
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
