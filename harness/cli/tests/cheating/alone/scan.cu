// WORKS(i) says whether thread i of the grid goes through all elements; only thread 0 stores what comes of them.
template <class T> struct Wide { typedef T type; };
template <> struct Wide<float> { typedef double type; };

template <class T>
__device__ void all_elements(const T* x, T* out, size_t n, unsigned inclusive) {
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    typename Wide<T>::type sum = 0;
    if (WORKS(thread))
        for (size_t i = 0; i < n; i++) {
            typename Wide<T>::type with = sum + x[i];
            if (thread == 0) out[i] = (T)(inclusive ? with : sum);
            sum = with;
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
