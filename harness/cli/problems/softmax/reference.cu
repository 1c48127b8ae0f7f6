// A block for each row. The greatest element is subtracted first, so that no exponential overflows.
constexpr int THREADS = 256;

template <typename Combine>
__device__ float of_block(float mine, Combine combine) {
    __shared__ float partial[THREADS];
    partial[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + half]);
        }
        __syncthreads();
    }
    float all = partial[0];
    __syncthreads();
    return all;
}

extern "C" __global__ void softmax(const float* x, float* y, int cols) {
    const float* row = x + (size_t)blockIdx.x * cols;
    float* out = y + (size_t)blockIdx.x * cols;
    float greatest = -1e30f;
    for (int i = threadIdx.x; i < cols; i += THREADS) {
        greatest = fmaxf(greatest, row[i]);
    }
    greatest = of_block(greatest, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += THREADS) {
        sum += expf(row[i] - greatest);
    }
    sum = of_block(sum, [](float a, float b) { return a + b; });
    for (int i = threadIdx.x; i < cols; i += THREADS) {
        out[i] = expf(row[i] - greatest) / sum;
    }
}
