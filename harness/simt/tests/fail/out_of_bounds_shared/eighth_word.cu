// launch: sums<<<1, 32, 28>>>(out: u64[8])
// Seven words of shared memory, of which eight are read: a multiprocessor hands out more, and the eighth is still not
// the kernel's.
extern "C" __global__ void sums(unsigned long long* out) {
    extern __shared__ unsigned s[];
    if (threadIdx.x < 7) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned b = 0; b < 8; b++) out[b] = s[b];
}
