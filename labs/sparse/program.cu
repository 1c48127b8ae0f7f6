// y = A x for a sparse matrix in CSR form, a warp a row: the whole program.
//
// Compile and run:  warplab nvcc program.cu -o sparse && warplab exec ./sparse 1000
// run: 1000
#include <cstdio>
#include <cstdlib>

const int WARP = 32;
const int THREADS = 256;

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// Row i has the entries start[i] to start[i + 1] - 1. The lanes of a warp read neighbouring entries.
__global__ void multiply(const int *start, const int *column, const int *value, const int *x, int *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows) return; // the whole warp: all of its lanes have the same row
    int sum = 0;
    for (int k = start[row] + lane; k < start[row + 1]; k += WARP) sum += value[k] * x[column[k]];
    for (int distance = WARP / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0) y[row] = sum;
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 100000) {
        fprintf(stderr, "usage: %s ROWS (at most 100000)\n", argv[0]);
        return 2;
    }
    // Row i has i % 60 entries, in columns that are 7 apart.
    int *start = (int *)malloc((n + 1) * sizeof(int)), entries = 0;
    for (int i = 0; i < n; i++) {
        start[i] = entries;
        entries += i % 60;
    }
    start[n] = entries;
    size_t of_entries = (entries + 1) * sizeof(int), of_vector = n * sizeof(int);
    int *column = (int *)malloc(of_entries), *value = (int *)malloc(of_entries);
    int *x = (int *)malloc(of_vector), *y = (int *)malloc(of_vector);
    for (int i = 0; i < n; i++) {
        x[i] = i % 10;
        for (int k = start[i]; k < start[i + 1]; k++) {
            column[k] = (i + 7 * (k - start[i])) % n;
            value[k] = k % 5 - 2;
        }
    }

    int *device_start, *device_column, *device_value, *device_x, *device_y;
    check(cudaMalloc(&device_start, (n + 1) * sizeof(int)), "memory for the starts of rows");
    check(cudaMalloc(&device_column, of_entries), "memory for the columns");
    check(cudaMalloc(&device_value, of_entries), "memory for the values");
    check(cudaMalloc(&device_x, of_vector), "memory for x");
    check(cudaMalloc(&device_y, of_vector), "memory for y");
    check(cudaMemcpy(device_start, start, (n + 1) * sizeof(int), cudaMemcpyHostToDevice), "copy of the starts");
    check(cudaMemcpy(device_column, column, entries * sizeof(int), cudaMemcpyHostToDevice), "copy of the columns");
    check(cudaMemcpy(device_value, value, entries * sizeof(int), cudaMemcpyHostToDevice), "copy of the values");
    check(cudaMemcpy(device_x, x, of_vector, cudaMemcpyHostToDevice), "copy of x");

    int rows_of_a_block = THREADS / WARP;
    multiply<<<(n + rows_of_a_block - 1) / rows_of_a_block, THREADS>>>(device_start, device_column, device_value,
                                                                     device_x, device_y, n);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(y, device_y, of_vector, cudaMemcpyDeviceToHost), "copy of the result");

    int wrong = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        int right = 0;
        for (int k = start[i]; k < start[i + 1]; k++) right += value[k] * x[column[k]];
        wrong += y[i] != right;
        sum += y[i];
    }
    printf("%d rows, %d entries, the sum of y is %d, %d wrong\n", n, entries, sum, wrong);
    for (int *memory : {device_start, device_column, device_value, device_x, device_y}) check(cudaFree(memory), "free");
    free(start);
    free(column);
    free(value);
    free(x);
    free(y);
    return wrong == 0 ? 0 : 1;
}
