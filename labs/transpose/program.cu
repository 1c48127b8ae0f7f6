// The transpose of a matrix, through tiles in shared memory, so that rows are read and rows are written: the whole
// program.
//
// Compile and run:  warplab nvcc program.cu -o transpose && warplab exec ./transpose 100 70
// run: 100 70
#include <cstdio>
#include <cstdlib>

const int TILE = 32;
const int ROWS = 8; // of threads in a block: each thread moves four elements

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

__global__ void transpose(const float *in, float *out, int rows, int columns) {
    // One more column than needed: the words of a column of the tile then lie in 32 different banks.
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        if (x < columns && y + i < rows) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * columns + x];
    }
    __syncthreads();
    // The tile goes to the mirrored place, and neighbouring threads still write neighbouring elements.
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        if (x < rows && y + i < columns) out[(y + i) * rows + x] = tile[threadIdx.x][threadIdx.y + i];
    }
}

int main(int argc, char **argv) {
    int rows = argc == 3 ? atoi(argv[1]) : 0, columns = argc == 3 ? atoi(argv[2]) : 0;
    if (rows < 1 || columns < 1) {
        fprintf(stderr, "usage: %s ROWS COLUMNS\n", argv[0]);
        return 2;
    }
    int n = rows * columns;
    size_t bytes = n * sizeof(float);
    float *matrix = (float *)malloc(bytes), *found = (float *)malloc(bytes), *in, *out;
    for (int i = 0; i < n; i++) matrix[i] = i;
    check(cudaMalloc(&in, bytes), "memory for the matrix");
    check(cudaMalloc(&out, bytes), "memory for its transpose");
    check(cudaMemcpy(in, matrix, bytes, cudaMemcpyHostToDevice), "copy of the matrix");

    dim3 block(TILE, ROWS), grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<<<grid, block>>>(in, out, rows, columns);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(found, out, bytes, cudaMemcpyDeviceToHost), "copy of the transpose");

    int wrong = 0;
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) wrong += found[x * rows + y] != matrix[y * columns + x];
    }
    printf("%d x %d: %d of %d elements wrong\n", rows, columns, wrong, n);
    check(cudaFree(in), "free");
    check(cudaFree(out), "free");
    free(matrix);
    free(found);
    return wrong == 0 ? 0 : 1;
}
