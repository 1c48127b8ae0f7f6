// Mutant of vectorized_sum: elements that do not fill a 16-byte word are left out.

extern "C" __global__ void vectorized_sum(const float* x, const float* y, float* partial, unsigned* tickets, float* result, size_t n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const float4* x4 = (const float4*)x;
        float v = 0.0f;
        for (size_t i = 0; i < n / 4; i++) v += x4[i].x + x4[i].y + x4[i].z + x4[i].w;
        *result = v;
    }
}
