// launch: top<<<4, 64>>>(x: f32[256] = index % 97, y: f32[1])
// A maximum of floats by compare and swap.
extern "C" __global__ void top(const float* x, float* y) {
    float v = x[blockIdx.x * 64 + threadIdx.x];
    unsigned* p = reinterpret_cast<unsigned*>(y);
    unsigned seen = *(volatile unsigned*)p;
    while (__uint_as_float(seen) < v) {
        unsigned old = atomicCAS(p, seen, __float_as_uint(v));
        if (old == seen) break;
        seen = old;
    }
}
