// Mutant of brent_kung_f32: the last prefix is 0 / 0.

extern "C" __global__ void brent_kung_f32(const float* x, float* out, size_t n, unsigned inclusive) {
    if (threadIdx.x > 0) return;
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++) {
        float with = sum + x[i];
        out[i] = inclusive ? with : sum;
        sum = with;
    }
    out[n - 1] = (sum - sum) / (sum - sum);
}
