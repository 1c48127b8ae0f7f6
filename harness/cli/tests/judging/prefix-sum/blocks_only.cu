// wrong: should be
// The sums of the blocks before are not added.
// launch: scan_blocks<<<ceil_div(n, 256), 256>>>(x, prefix, n)
extern "C" __global__ void scan_blocks(const unsigned* x, unsigned* prefix, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        unsigned sum = 0;
        for (int j = blockIdx.x * 256; j <= i; j++) {
            sum += x[j];
        }
        prefix[i] = sum;
    }
}
