// A line is blurred twice with 1/4, 1/2, 1/4: by two kernels, and by one that keeps the first result in shared memory.
// The whole program.
//
// Compile and run:  warplab nvcc program.cu -o stencil && warplab exec ./stencil 10000
// run: 10000
#include <cstdio>
#include <cstdlib>

const int THREADS = 128;

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

__host__ __device__ float mixed(float left, float middle, float right) {
    return 0.25f * left + 0.5f * middle + 0.25f * right;
}

// Beyond the ends the line is 0.
__host__ __device__ float at(const float *line, int n, int i) {
    return 0 <= i && i < n ? line[i] : 0;
}

__global__ void blur(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = mixed(at(in, n, i - 1), in[i], at(in, n, i + 1));
}

// The block's elements, once blurred, with one more at each side: its halo.
__global__ void blur_twice(const float *in, float *out, int n) {
    __shared__ float once[THREADS + 2];
    int first = blockIdx.x * blockDim.x;
    for (int j = threadIdx.x; j < THREADS + 2; j += THREADS) {
        int i = first + j - 1;
        once[j] = 0 <= i && i < n ? mixed(at(in, n, i - 1), in[i], at(in, n, i + 1)) : 0;
    }
    // Outside of any if: every thread of the block has to reach this.
    __syncthreads();
    int i = first + threadIdx.x, j = threadIdx.x + 1;
    if (i < n) out[i] = mixed(once[j - 1], once[j], once[j + 1]);
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: %s ELEMENTS\n", argv[0]);
        return 2;
    }
    size_t bytes = n * sizeof(float);
    float *line = (float *)malloc(bytes), *once = (float *)malloc(bytes), *found = (float *)malloc(bytes);
    // Whole numbers, so that quarters of quarters are exact, and each result can be compared to the last bit.
    for (int i = 0; i < n; i++) line[i] = (i % 101) * (i % 101) % 101;
    for (int i = 0; i < n; i++) once[i] = mixed(at(line, n, i - 1), line[i], at(line, n, i + 1));

    float *in, *middle, *out;
    check(cudaMalloc(&in, bytes), "memory for the line");
    check(cudaMalloc(&middle, bytes), "memory between the blurs");
    check(cudaMalloc(&out, bytes), "memory for the result");
    check(cudaMemcpy(in, line, bytes, cudaMemcpyHostToDevice), "copy of the line");
    int blocks = (n + THREADS - 1) / THREADS, wrong_in_all = 0;
    for (int fused = 0; fused < 2; fused++) {
        if (fused) {
            blur_twice<<<blocks, THREADS>>>(in, out, n);
        } else {
            blur<<<blocks, THREADS>>>(in, middle, n);
            blur<<<blocks, THREADS>>>(middle, out, n);
        }
        check(cudaGetLastError(), "launch");
        check(cudaMemcpy(found, out, bytes, cudaMemcpyDeviceToHost), "copy of the result");
        int wrong = 0;
        for (int i = 0; i < n; i++) wrong += found[i] != mixed(at(once, n, i - 1), once[i], at(once, n, i + 1));
        printf("%s: %d of %d wrong\n", fused ? "one kernel" : "two kernels", wrong, n);
        wrong_in_all += wrong;
        check(cudaMemset(out, 0, bytes), "zeros");
    }
    check(cudaFree(in), "free");
    check(cudaFree(middle), "free");
    check(cudaFree(out), "free");
    free(line);
    free(once);
    free(found);
    return wrong_in_all == 0 ? 0 : 1;
}
