// Mutant of atomic_bytes: only the first block counts.

extern "C" __global__ void atomic_bytes(const unsigned char* text, unsigned long long* counts, size_t n) {
    if (blockIdx.x > 0) return;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&counts[text[i]], 1ull);
}
