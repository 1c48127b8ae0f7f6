// Mutant of wide_bytes: bytes that do not fill a 16-byte word are not counted.

extern "C" __global__ void wide_bytes(const unsigned char* text, unsigned long long* counts, size_t n) {
    const uint4* text16 = (const uint4*)text;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / 16; i += stride) {
        unsigned words[4] = {text16[i].x, text16[i].y, text16[i].z, text16[i].w};
        for (int k = 0; k < 16; k++) atomicAdd(&counts[words[k / 4] >> 8 * (k % 4) & 255], 1ull);
    }
}
