// Letters in 7 bins, a stretch of the text for each thread, with two ways to compute the length of a stretch.
//
//   brackets     (n + threads - 1) / (gridDim.x * blockDim.x): the text is shared out among all threads
//   no brackets  (n + threads - 1) / gridDim.x * blockDim.x: C divides first, and the stretch is blockDim.x^2 times as
//                long, so that the first few threads do all the work
//
// counts[0..7] are the letters of each bin, and counts[7] is the number of threads that had a byte to count. They are
// zero beforehand. The additions are atomic, so that the counts are right either way.

#include "index.cuh"

__device__ void count_stretch(const unsigned char* text, unsigned* counts, unsigned n, unsigned length) {
    unsigned first = (unsigned)grid_index() * length;
    if (first < n) atomicAdd(&counts[7], 1);
    for (unsigned i = first; i < first + length && i < n; i++) {
        unsigned letter = text[i] - 'a';
        if (letter < 26) atomicAdd(&counts[letter / 4], 1);
    }
}

extern "C" __global__ void stretch_brackets(const unsigned char* text, unsigned* counts, unsigned n) {
    unsigned threads = gridDim.x * blockDim.x;
    count_stretch(text, counts, n, (n + threads - 1) / (gridDim.x * blockDim.x));
}

extern "C" __global__ void stretch_no_brackets(const unsigned char* text, unsigned* counts, unsigned n) {
    unsigned threads = gridDim.x * blockDim.x;
    count_stretch(text, counts, n, (n + threads - 1) / gridDim.x * blockDim.x);
}
