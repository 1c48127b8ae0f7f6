// launch: sizes<<<1, 64>>>(out: u64[4])
// One warp writes words, and the other reads pairs of them.
extern "C" __global__ void sizes(unsigned long long* out) {
    __shared__ unsigned s[8];
    if (threadIdx.x < 8) s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= 32 && threadIdx.x < 36) out[threadIdx.x - 32] = ((unsigned long long*)s)[threadIdx.x - 32];
}
