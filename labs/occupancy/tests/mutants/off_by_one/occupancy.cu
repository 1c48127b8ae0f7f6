// Broken on purpose. Each thread adds its neighbour's element.
extern "C" __global__ void vecadd(const unsigned* x, const unsigned* y, unsigned* z, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i + 1 < n ? i + 1 : i];
}
extern "C" __global__ void vecadd_counted(const unsigned* x, const unsigned* y, unsigned* z, unsigned long long n, void*) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
