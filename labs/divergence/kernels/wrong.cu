// Kernels of the course that are wrong, rewritten with their mistakes.
//
//   max_from_zero    the largest of the next 16, but the search begins at 0: wrong where all are negative
//   parity_past_end  even threads take one element, odd threads three: the last thread reads element n
//   split_even       the same split in two, with the two sides exchanged: even threads take three, and thread 0 reads
//                    the element before the first
//   split_odd        odd threads take one, and add it to an output that was never set

// Twice the element i and those within `reach` of it.
__device__ float taps(const float *in, int i, int reach) {
    float sum = 0.0f;
    for (int j = i - reach; j <= i + reach; j++)
        sum += 2.0f * in[j];
    return sum;
}

extern "C" __global__ void max_from_zero(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float most = 0.0f;
    for (int j = i; j < min(i + 16, n); j++)
        most = fmaxf(most, in[j]);
    out[i] = most;
}

extern "C" __global__ void parity_past_end(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = taps(in, i, i % 2);
}

extern "C" __global__ void split_even(const float *in, float *out, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = taps(in, i, 1);
}

extern "C" __global__ void split_odd(const float *in, float *out, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (i < n) out[i] += taps(in, i, 0);
}
