// Vector addition with local variables of all kinds, for the debugger. NVRTC 12.9 has made locals.ptx.lzma from it, with
// --device-debug and --gpu-architecture=compute_80.

struct Pair {
    int key;
    float weight;
};

__device__ float scaled(float value, int factor)
{
    float product = value * factor;
    return product;
}

extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n)
{
    __shared__ short tile[2][32];
    unsigned i = threadIdx.x;
    unsigned char small = 200;
    int recent[3];
    Pair pair = {(int)i + 100, 0.5f};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        int twice = 2 * k + i;
        recent[k] = twice;
        sum += scaled(recent[k], 4);
    }
    if (i < 32)
        tile[1][i] = (short)recent[2];
    bool is_even = i % 2 == 0;
    if (is_even) {
        long long i = pair.key;
        pair.key = (int)(i << 1);
    }
    if (i < 32 && i < n)
        z[i] = x[i] + y[i] + (sum < 0) + pair.weight * (small == tile[1][i]);
}
