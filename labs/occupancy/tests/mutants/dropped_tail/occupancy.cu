// Broken on purpose. The last, partial block does nothing.
extern "C" __global__ void vecadd(const unsigned* x, const unsigned* y, unsigned* z, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if ((blockIdx.x + 1ull) * blockDim.x <= n) z[i] = x[i] + y[i];
}
extern "C" __global__ void vecadd_counted(const unsigned* x, const unsigned* y, unsigned* z, unsigned long long n, void*) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
