// Mutant of cas_loop_max: the comparison is the wrong way round, so that the smallest is kept.

extern "C" __global__ void cas_loop_max(const float* x, const float* y, float* total, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        int* word = (int*)total;
        int seen = *(volatile int*)word;
        if (!(__int_as_float(seen) <= x[i])) atomicCAS(word, seen, __float_as_int(x[i]));
    }
}
