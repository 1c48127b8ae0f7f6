// slow: the reference
// Each thread counts the keys before its own.
// launch: rank<<<ceil_div(n, 256), 256>>>(keys, sorted, n)
extern "C" __global__ void rank(const int* keys, int* sorted, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        int before = 0;
        for (int j = 0; j < n; j++) {
            before += keys[j] < keys[i] || keys[j] == keys[i] && j < i;
        }
        sorted[before] = keys[i];
    }
}
