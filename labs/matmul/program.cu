// C = A B for matrices of any size, by tiles in shared memory: the whole program.
//
// Compile and run:  warplab nvcc program.cu -o matmul && warplab exec ./matmul 100 70 50
// run: 100 70 50
#include <cstdio>
#include <cstdlib>

const int TILE = 16;

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// A is m by k, B is k by n, C is m by n, each row by row. A block computes a tile of C. It goes along a row of tiles of
// A and a column of tiles of B, and each element of theirs is loaded once for sixteen products.
__global__ void multiply(const float *a, const float *b, float *c, int m, int k, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += TILE) {
        // Beyond the edge of a matrix there are zeros, which add nothing.
        int x = first + threadIdx.x, y = first + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0;
        tile_b[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        // No thread loads the next tiles before all are done with these.
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

int main(int argc, char **argv) {
    int m = argc == 4 ? atoi(argv[1]) : 0, k = argc == 4 ? atoi(argv[2]) : 0, n = argc == 4 ? atoi(argv[3]) : 0;
    if (m < 1 || k < 1 || n < 1) {
        fprintf(stderr, "usage: %s M K N\n", argv[0]);
        return 2;
    }
    // Small whole numbers: their sums of products are exact in whatever order they are added.
    float *a = (float *)malloc(m * k * sizeof(float)), *b = (float *)malloc(k * n * sizeof(float));
    float *c = (float *)malloc(m * n * sizeof(float));
    for (int i = 0; i < m * k; i++) a[i] = i % 13 - 6;
    for (int i = 0; i < k * n; i++) b[i] = i % 7 - 3;

    float *device_a, *device_b, *device_c;
    check(cudaMalloc(&device_a, m * k * sizeof(float)), "memory for A");
    check(cudaMalloc(&device_b, k * n * sizeof(float)), "memory for B");
    check(cudaMalloc(&device_c, m * n * sizeof(float)), "memory for C");
    check(cudaMemcpy(device_a, a, m * k * sizeof(float), cudaMemcpyHostToDevice), "copy of A");
    check(cudaMemcpy(device_b, b, k * n * sizeof(float), cudaMemcpyHostToDevice), "copy of B");

    // x runs along the columns of C, y along its rows.
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply<<<grid, block>>>(device_a, device_b, device_c, m, k, n);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(c, device_c, m * n * sizeof(float), cudaMemcpyDeviceToHost), "copy of C");

    int wrong = 0;
    for (int row = 0; row < m; row++) {
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
            wrong += c[row * n + column] != sum;
        }
    }
    printf("%d x %d times %d x %d in %u x %u blocks: %d of %d elements wrong\n", m, k, k, n, grid.x, grid.y, wrong,
           m * n);
    check(cudaFree(device_a), "free");
    check(cudaFree(device_b), "free");
    check(cudaFree(device_c), "free");
    free(a);
    free(b);
    free(c);
    return wrong == 0 ? 0 : 1;
}
