// How often the letters of a text occur, in bins of four letters: each block counts in its own shared memory first.
//
// Compile and run:  warplab nvcc program.cu -o histogram && warplab exec ./histogram 20000
// run: 20000
#include <cstdio>
#include <cstdlib>

const int BINS = 7; // a-d, e-h, i-l, m-p, q-t, u-x, y-z
const int WIDTH = 4;

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

__global__ void count(const char *text, unsigned *counts, int n) {
    __shared__ unsigned block_counts[BINS];
    if (threadIdx.x < BINS) block_counts[threadIdx.x] = 0;
    __syncthreads();

    // Neighbouring threads take neighbouring letters, then all go on by as many as there are threads.
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int letter = text[i] - 'a';
        if (0 <= letter && letter < 26) atomicAdd(&block_counts[letter / WIDTH], 1);
    }
    __syncthreads();

    if (threadIdx.x < BINS) atomicAdd(&counts[threadIdx.x], block_counts[threadIdx.x]);
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: %s LETTERS\n", argv[0]);
        return 2;
    }
    // A text that is the same everywhere: a small generator of numbers, and now and then a blank.
    char *text = (char *)malloc(n);
    unsigned expected[BINS] = {}, found[BINS], state = 1;
    for (int i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        unsigned letter = (state >> 16) % 27;
        text[i] = letter == 26 ? ' ' : 'a' + letter;
        if (letter < 26) expected[letter / WIDTH]++;
    }

    char *device_text;
    unsigned *counts;
    check(cudaMalloc(&device_text, n), "memory for the text");
    check(cudaMalloc(&counts, sizeof found), "memory for the counts");
    check(cudaMemcpy(device_text, text, n, cudaMemcpyHostToDevice), "copy of the text");
    check(cudaMemset(counts, 0, sizeof found), "zeros");
    count<<<16, 128>>>(device_text, counts, n);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost), "copy of the counts");

    bool is_right = true;
    for (int bin = 0; bin < BINS; bin++) {
        char first = 'a' + bin * WIDTH, last = bin + 1 < BINS ? first + WIDTH - 1 : 'z';
        printf("%c-%c %u\n", first, last, found[bin]);
        is_right = is_right && found[bin] == expected[bin];
    }
    check(cudaFree(device_text), "free");
    check(cudaFree(counts), "free");
    free(text);
    return is_right ? 0 : 1;
}
