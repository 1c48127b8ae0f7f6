// wrong: should be
// launch: copy<<<ceil_div(n, 256), 256>>>(keys, sorted, n)
extern "C" __global__ void copy(const int* keys, int* sorted, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        sorted[i] = keys[i];
    }
}
