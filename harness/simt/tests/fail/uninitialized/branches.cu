// launch: count<<<1, 32>>>(out: u32[32], 9)
// A branch depends on a value that was never written.
extern "C" __global__ void count(unsigned* out, int n) {
    __shared__ unsigned s[32];
    int t = threadIdx.x;
    if (t < n) s[t] = t;
    __syncwarp();
    unsigned found = 0;
    for (unsigned k = s[t]; k > 0 && k < 20; k /= 2) found++;
    out[t] = found;
}
