// Broken on purpose. The threads do not wait for the table.
extern "C" __global__ void shared_heavy(const unsigned* x, const unsigned* table, unsigned* z, unsigned words, unsigned rounds,
                  unsigned long long n) {
    extern __shared__ unsigned t[];
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned j = threadIdx.x; j < words; j += blockDim.x) t[j] = table[j];
    if (i >= n) return;
    unsigned v = x[i];
    for (unsigned r = 0; r < rounds; r++) v = v * 1664525u + t[v % words];
    z[i] = v;
}
extern "C" __global__ void shared_heavy_counted(const unsigned* x, const unsigned* table, unsigned* z, unsigned words, unsigned rounds,
                  unsigned long long n, void*) {
    extern __shared__ unsigned t[];
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned j = threadIdx.x; j < words; j += blockDim.x) t[j] = table[j];
    __syncthreads();
    if (i >= n) return;
    unsigned v = x[i];
    for (unsigned r = 0; r < rounds; r++) v = v * 1664525u + t[v % words];
    z[i] = v;
}
