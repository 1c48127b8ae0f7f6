// slow: one warp executes
// launch: insert<<<1, 1>>>(keys, sorted, n)
extern "C" __global__ void insert(const int* keys, int* sorted, int n) {
    for (int i = 0; i < n; i++) {
        int key = keys[i], at = i;
        for (; at > 0 && sorted[at - 1] > key; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = key;
    }
}
