// slow: the reference
// Each thread adds all elements before its own.
// launch: scan<<<ceil_div(n, 256), 256>>>(x, prefix, n)
extern "C" __global__ void scan(const unsigned* x, unsigned* prefix, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        unsigned sum = 0;
        for (int j = 0; j <= i; j++) {
            sum += x[j];
        }
        prefix[i] = sum;
    }
}
