// launch: copy<<<1, 32>>>(x: f32[64] = freed, y: f32[32])
// Only the upper half is read.
extern "C" __global__ void copy(const float* x, float* y) {
    y[threadIdx.x] = x[threadIdx.x + 32];
}
