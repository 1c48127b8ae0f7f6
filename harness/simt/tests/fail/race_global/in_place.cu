// launch: odd<<<4, 64>>>(x: u32[256] = index, count: u32[1], 256)
// Odd numbers move to the front of their own array, into which a block writes before the others have read.
extern "C" __global__ void odd(unsigned* x, unsigned* count, unsigned n) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    unsigned value = i < n ? x[i] : 0;
    if (value & 1) x[atomicAdd(count, 1)] = value;
}
