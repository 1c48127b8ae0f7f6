// launch: sums<<<1, 32>>>(out: u64[7])
// Of seven words that vectors load, the sixth has never been written.
extern "C" __global__ void sums(unsigned long long* out) {
    __shared__ alignas(16) unsigned s[7];
    if (threadIdx.x < 7 && threadIdx.x != 5) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned b = 0; b < 7; b++) out[b] = s[b];
}
