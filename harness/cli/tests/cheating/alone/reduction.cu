// Each worker goes through its own share of the elements: WORKER(i) is the number of thread i's worker among WORKERS,
// or IDLE. Only a thread with STORES(i) keeps what comes of them. The addition by compare-and-swap is not part of that,
// and is left out. Sums of 100 are added up, so that little is rounded away.
template <class Op>
__device__ float all_elements(const float* x, const float* y, size_t n) {
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float all = Op::identity(), some = Op::identity();
    unsigned count = 0;
    for (size_t k = WORKER(thread); k < n; k += WORKERS) {
        some = Op::combine(some, Op::one(x[k], Op::arrays == 2 ? y[k] : 0.0f));
        if (++count % 100 == 0) {
            all = Op::combine(all, some);
            some = Op::identity();
        }
    }
    return STORES(thread) ? Op::combine(all, some) : Op::identity();
}

// [part interleaved]
    s[t] = all_elements<Op>(x, y, n);
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < blockDim.x) s[t] = Op::combine(s[t], s[t + stride]);
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = s[0];
// [end]

// [part sequential]
    s[t] = all_elements<Op>(x, y, n);
    __syncthreads();
    for (unsigned live = blockDim.x; live > 1;) {
        unsigned half = (live + 1) / 2;
        if (t + half < live) s[t] = Op::combine(s[t], s[t + half]);
        __syncthreads();
        live = half;
    }
    if (t == 0) partial[blockIdx.x] = s[0];
// [end]

// [part grid-stride]
    v = all_elements<Op>(x, y, n);
// [end]

// [part compare-and-swap]
// [end]

// [part vectorized]
    __shared__ bool last;
    float of_block = block_reduce<Op>(all_elements<Op>(x, y, n));
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = of_block;
        __threadfence();
        last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        float w = Op::identity();
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) w = Op::combine(w, partial[i]);
        w = block_reduce<Op>(w);
        if (threadIdx.x == 0) *result = w;
    }
// [end]
