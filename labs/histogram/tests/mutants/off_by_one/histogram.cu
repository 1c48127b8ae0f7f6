// Mutant of privatized_letters: the last bin is not added to the totals.

extern "C" __global__ void privatized_letters(const unsigned char* text, unsigned long long* counts, size_t n) {
    extern __shared__ unsigned s[];
    for (unsigned b = threadIdx.x; b < 7; b += blockDim.x) s[b] = 0;
    __syncthreads();
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned letter = text[i] - 'a';
        if (letter < 26) atomicAdd(&s[letter / 4], 1);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 6; b += blockDim.x) atomicAdd(&counts[b], (unsigned long long)s[b]);
}
