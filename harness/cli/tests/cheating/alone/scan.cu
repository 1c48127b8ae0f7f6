// Each worker takes its own share of the elements: WORKER(i) is the number of thread i's worker among WORKERS, or IDLE.
// Only a thread with STORES(i) stores what comes of them. One worker needs no other; several of a block take WORKERS
// elements at a time. The tiles' sums of the three kernels are not part of that.
template <class T> struct Wide { typedef T type; };
template <> struct Wide<float> { typedef double type; };

template <class T>
__device__ void all_elements(const T* x, T* out, size_t n, unsigned inclusive) {
    typedef typename Wide<T>::type Sum;
    __shared__ Sum of_warp[33];
    unsigned long long thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x, worker = WORKER(thread);
    Sum carry = 0;
    if (WORKERS == 1) {
        for (size_t i = worker; i < n; i++) {
            Sum with = carry + x[i];
            if (STORES(thread)) out[i] = (T)(inclusive ? with : carry);
            carry = with;
        }
        return;
    }
    if (WORKERS > blockDim.x || (worker == IDLE && blockIdx.x > 0)) return;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, lanes = min(32u, blockDim.x - warp * 32);
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    bool is_first = thread == 0 || WORKER(thread - 1) != worker;
    for (size_t first = 0; first < n; first += WORKERS) {
        bool mine = worker != IDLE && first + worker < n;
        Sum element = mine ? x[first + worker] : T(0), sum = is_first ? element : Sum(0);
        for (unsigned d = 1; d < 32; d *= 2) {
            Sum left = __shfl_up_sync(mask, sum, d);
            if (lane >= d) sum += left;
        }
        if (lane == lanes - 1) of_warp[warp] = sum;
        __syncthreads();
        Sum before = carry;
        for (unsigned w = 0; w < (blockDim.x + 31) / 32; w++) {
            if (w < warp) before += of_warp[w];
            carry += of_warp[w];
        }
        __syncthreads();
        if (mine && STORES(thread)) out[first + worker] = (T)(inclusive ? before + sum : before + sum - element);
    }
}

// [part kogge-stone]
    all_elements(x, out, n, inclusive);
// [end]

// [part brent-kung]
    all_elements(x, out, n, inclusive);
// [end]

// [part three-kernel]
    if (p.lane == 0) sums[blockIdx.x] = T(0);
// [end]

// [part three-kernel]
// [end]

// [part three-kernel]
    all_elements(x, out, n, inclusive);
// [end]

// [part single-pass]
    all_elements(x, out, n, inclusive);
// [end]
