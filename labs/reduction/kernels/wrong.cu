// Ways to get a sum wrong, each one edit away from a right one.
//
//   stride-blockdim  sequential, but the first stride is blockDim.x, not half of it: it reads past the shared array
//   no-barrier       sequential, but without a barrier between rounds: a round reads what may not be written yet
//   unguarded        sequential, but without `i < n`: right only if n is a multiple of two blocks' width
//   overlapping      sequential, but block b begins at b * blockDim.x, where the second half of block b - 1 begins too
//   cas-precedence   cas-loop with floats, but without the brackets around an assignment in the loop's condition
//
// All but the last have two elements per thread. Shared memory: one float per thread; none for the last.

__device__ float load_two(const float* x, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x * 2 + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    if (i + blockDim.x < n) v += x[i + blockDim.x];
    return v;
}

extern "C" __global__ void stride_blockdim(const float* x, const float* y, float* partial, size_t n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    s[t] = load_two(x, n);
    for (unsigned stride = blockDim.x; stride >= 1; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) partial[blockIdx.x] = s[0];
}

extern "C" __global__ void no_barrier(const float* x, const float* y, float* partial, size_t n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    s[t] = load_two(x, n);
    for (unsigned live = blockDim.x; live > 1;) {
        unsigned half = (live + 1) / 2;
        if (t + half < live) s[t] += s[t + half];
        live = half;
    }
    if (t == 0) partial[blockIdx.x] = s[0];
}

__device__ void tree(float* s, float* partial) {
    unsigned t = threadIdx.x;
    __syncthreads();
    for (unsigned live = blockDim.x; live > 1;) {
        unsigned half = (live + 1) / 2;
        if (t + half < live) s[t] += s[t + half];
        __syncthreads();
        live = half;
    }
    if (t == 0) partial[blockIdx.x] = s[0];
}

extern "C" __global__ void unguarded(const float* x, const float* y, float* partial, size_t n) {
    extern __shared__ float s[];
    size_t i = (size_t)blockIdx.x * blockDim.x * 2 + threadIdx.x;
    s[threadIdx.x] = x[i] + x[i + blockDim.x];
    tree(s, partial);
}

extern "C" __global__ void overlapping(const float* x, const float* y, float* partial, size_t n) {
    extern __shared__ float s[];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    if (i + blockDim.x < n) v += x[i + blockDim.x];
    s[threadIdx.x] = v;
    tree(s, partial);
}

// != binds more tightly than =, so that `seen` becomes whether they differ, 0 or 1, and not the word that was seen. A thread
// that fails once then waits for a word with the bits of 1, for ever. Here it gives up after 100 tries, so that the kernel ends.
extern "C" __global__ void cas_precedence(const float* x, const float* y, float* total, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    float v = 0.0f;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) v += x[i];
    int* word = (int*)total;
    int seen = *(volatile int*)word, expected, tries = 0;
    do {
        expected = seen;
    } while (++tries < 100 && (seen = atomicCAS(word, expected, __float_as_int(v + __int_as_float(expected))) != expected));
}
