// What each lane of a warp does at a branch, and when.
//
//   branch   adds 1 where x >= 0 and subtracts 2 where x < 0, and records each step with the lanes that take it

// What a step is.
enum { TEST, ADD, SUBTRACT };

// Appends a step to the warp's own list: what it is, and a bit for each lane that takes part.
__device__ void step(unsigned *counts, uint2 *steps, unsigned what) {
    unsigned lanes = __activemask();
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32 == __ffs(lanes) - 1) { // the first of these lanes writes for all
        unsigned time = atomicAdd(&counts[2 * warp], 1);
        if (time < 4) steps[4 * warp + time] = make_uint2(what, lanes);
    }
    __syncwarp(lanes);
}

// For each warp, counts holds the number of its steps and its multiprocessor; steps has four places.
extern "C" __global__ void branch(const float *in, float *out, unsigned *counts, uint2 *steps) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0) asm volatile("mov.u32 %0, %%smid;" : "=r"(counts[2 * (i / 32) + 1]));
    __syncwarp();
    float x = in[i];
    step(counts, steps, TEST);
    if (x >= 0.0f) {
        step(counts, steps, ADD);
        x += 1.0f;
    } else {
        step(counts, steps, SUBTRACT);
        x -= 2.0f;
    }
    out[i] = x;
}
