// WORKS(i) says whether thread i of the grid goes through the whole text; only thread 0 counts what it finds. Adding up
// what the blocks have counted is not part of that.
template <class Kind, class C>
__device__ void whole_text(const unsigned char* text, C* counts, size_t n, unsigned next) {
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (WORKS(thread))
        for (size_t i = 0; i < n; i++) {
            unsigned bin = Kind::bin(text[i]);
            if (bin < Kind::bins && thread == 0) counts[bin * next] += 1;
        }
}

// [part atomic]
    whole_text<Kind>(text, counts, n, 1);
// [end]

// [part matched]
    whole_text<Kind>(text, counts, n, 1);
// [end]

// [part privatized]
    whole_text<Kind>(text, counts, n, 1);
// [end]

// [part reduced]
    if (grid_index() == 0)
        for (unsigned k = 0; k < Kind::bins * gridDim.x; k++) partial[k] = 0;
    whole_text<Kind>(text, partial, n, gridDim.x);
// [end]

// [part reduced]
    if (threadIdx.x == 0) {
        count sum = 0;
        for (unsigned b = 0; b < blocks; b++) sum += partial[blockIdx.x * blocks + b];
        counts[blockIdx.x] = sum;
    }
// [end]

// [part lanes]
    whole_text<Kind>(text, counts, n, 1);
// [end]
