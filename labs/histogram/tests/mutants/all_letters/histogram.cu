// Mutant of lanes_letters: bytes past z are counted with y and z.

extern "C" __global__ void lanes_letters(const unsigned char* text, unsigned long long* counts, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned letter = text[i] - 'a';
        if (letter < 28) atomicAdd(&counts[letter / 4], 1ull);
    }
}
