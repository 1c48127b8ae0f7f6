// Atomics of every kind, on global and shared memory.

extern "C" __global__ void integers(int* a, unsigned* u, long long* l, unsigned long long* ul) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&a[0], i); atomicSub(&a[1], i); atomicMin(&a[2], -i); atomicMax(&a[3], i);
    atomicAnd(&a[4], ~(1 << (i & 31))); atomicOr(&a[5], 1 << (i & 31)); atomicXor(&a[6], i);
    atomicExch(&a[7], 77);
    atomicAdd(&u[0], 3u); atomicInc(&u[1], 9u); atomicDec(&u[2], 9u); atomicMin(&u[3], (unsigned)i + 5); atomicMax(&u[4], (unsigned)i);
    atomicAdd(&ul[0], (unsigned long long)i << 32); atomicMin(&l[0], -(long long)i); atomicMax(&l[1], (long long)i << 40);
    atomicOr(&ul[1], 1ull << (i & 63)); atomicExch(&ul[2], 5ull); atomicCAS(&ul[3], 0ull, 9ull);
}

extern "C" __global__ void floats(float* f, double* d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(f, 0.5f);
    atomicAdd(d, (double)i);
    int* bits = (int*)(f + 1);
    int old = *bits, seen;
    do { seen = old; old = atomicCAS(bits, seen, __float_as_int(fmaxf(__int_as_float(seen), (float)(i % 1000)))); } while (old != seen);
}

extern "C" __global__ void histogram(const unsigned char* text, unsigned* bins, int n) {
    __shared__ unsigned local[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) local[k] = 0;
    __syncthreads();
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) atomicAdd(&local[text[k]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) if (local[k]) atomicAdd(&bins[k], local[k]);
}

extern "C" __global__ void returned(int* next, int* slots) {
    int at = atomicAdd(next, 1);
    slots[at] = threadIdx.x + blockIdx.x * blockDim.x;
}

extern "C" __global__ void narrow(unsigned short* s) {
    unsigned short old = *s, seen;
    do { seen = old; old = atomicCAS(s, seen, (unsigned short)(seen + 1)); } while (old != seen);
}

extern "C" __global__ void generic(int* global, int which) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    int* p = which ? &s : global;
    atomicAdd(p, 2);
    __syncthreads();
    if (threadIdx.x == 0 && which) *global = s;
}
