// launch: from_dynamic<<<1, 32, 28>>>(a: u64[7])
// launch: from_static<<<1, 32>>>(b: u64[7])
// launch: from_global<<<1, 1>>>(c: u64[7])
// launch: between<<<1, 64>>>(d: u64[14])
// A compiler loads seven words in vectors, and of the last of them uses three.
__device__ alignas(16) unsigned table[7] = {1, 2, 3, 4, 5, 6, 7};
extern "C" __global__ void from_dynamic(unsigned long long* out) {
    extern __shared__ unsigned s[];
    if (threadIdx.x < 7) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned b = 0; b < 7; b++) out[b] = s[b];
}
extern "C" __global__ void from_static(unsigned long long* out) {
    __shared__ alignas(16) unsigned s[7];
    if (threadIdx.x < 7) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (unsigned b = 0; b < 7; b++) out[b] = s[b];
}
extern "C" __global__ void from_global(unsigned long long* out) {
    for (unsigned b = 0; b < 7; b++) out[b] = table[b];
}
// The word that is not used belongs to another warp, which changes it at the same time.
extern "C" __global__ void between(unsigned long long* out) {
    __shared__ alignas(16) unsigned s[2][8];
    unsigned w = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        for (unsigned b = 0; b < 8; b++) s[w][b] = b;
    __syncthreads();
    if (threadIdx.x < 32) {
        unsigned long long sum = 0;
        for (unsigned b = 0; b < 7; b++) sum += s[0][b];
        out[0] = sum;
    } else {
        s[0][7] = 5;
    }
}
