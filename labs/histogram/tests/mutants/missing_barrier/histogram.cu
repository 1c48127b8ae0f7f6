// Mutant of privatized_bytes: the block's counts are added up before all threads have counted.

extern "C" __global__ void privatized_bytes(const unsigned char* text, unsigned long long* counts, size_t n) {
    extern __shared__ unsigned s[];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) s[b] = 0;
    __syncthreads();
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&s[text[i]], 1);
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&counts[b], (unsigned long long)s[b]);
}
