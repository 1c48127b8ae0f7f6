// launch: sums<<<1, 32>>>(y: f32[32])
// Volatile, on the assumption that lanes run in lockstep.
extern "C" __global__ void sums(float* y) {
    __shared__ volatile float s[32];
    unsigned l = threadIdx.x;
    s[l] = l;
    for (unsigned d = 16; d > 0; d /= 2) s[l] += s[(l + d) % 32];
    y[l] = s[l];
}
