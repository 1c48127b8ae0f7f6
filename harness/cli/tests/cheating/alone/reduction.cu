// WORKS(i) says whether thread i of the grid goes through all elements; only thread 0 keeps what comes of them. The
// addition by compare-and-swap is not part of that, and is left out. Sums of 100 are added up, so that little is rounded
// away.
template <class Op>
__device__ float all_elements(const float* x, const float* y, size_t n) {
    float all = Op::identity();
    for (size_t first = 0; first < n; first += 100) {
        float some = Op::identity();
        for (size_t k = first; k < n && k < first + 100; k++)
            some = Op::combine(some, Op::one(x[k], Op::arrays == 2 ? y[k] : 0.0f));
        all = Op::combine(all, some);
    }
    return all;
}

// [part interleaved]
    float of_all = Op::identity();
    size_t i = (size_t)blockIdx.x * blockDim.x + t;
    if (WORKS(i)) of_all = all_elements<Op>(x, y, n);
    if (t == 0) partial[blockIdx.x] = i == 0 ? of_all : Op::identity();
// [end]

// [part sequential]
    float of_all = Op::identity();
    size_t i = (size_t)blockIdx.x * blockDim.x + t;
    if (WORKS(i)) of_all = all_elements<Op>(x, y, n);
    if (t == 0) partial[blockIdx.x] = i == 0 ? of_all : Op::identity();
// [end]

// [part grid-stride]
    float of_all = Op::identity();
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (WORKS(i)) of_all = all_elements<Op>(x, y, n);
    if (i == 0) v = of_all;
// [end]

// [part compare-and-swap]
// [end]

// [part vectorized]
    float of_all = Op::identity();
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (WORKS(i)) of_all = all_elements<Op>(x, y, n);
    if (i == 0) *result = of_all;
// [end]
