// An image is blurred with a mask of 5 x 5 in constant memory: by a thread a point, and through tiles in shared memory.
// The whole program.
//
// Compile and run:  warplab nvcc program.cu -o convolution && warplab exec ./convolution 150 70
// run: 150 70
#include <cstdio>
#include <cstdlib>

const int RADIUS = 2, SIDE = 2 * RADIUS + 1, TILE = 16;

__constant__ float mask[SIDE][SIDE];

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// Beyond its edges the image is 0.
__host__ __device__ float at(const float *image, int width, int height, int x, int y) {
    return 0 <= x && x < width && 0 <= y && y < height ? image[y * width + x] : 0;
}

__global__ void plain(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) sum += mask[i][j] * at(in, width, height, x + j - RADIUS, y + i - RADIUS);
    out[y * width + x] = sum;
}

// A block has TILE x TILE threads and results, and the points that these need.
__global__ void tiled(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (int r = threadIdx.y; r < TILE + 2 * RADIUS; r += TILE)
        for (int c = threadIdx.x; c < TILE + 2 * RADIUS; c += TILE)
            tile[r][c] = at(in, width, height, left + c - RADIUS, top + r - RADIUS);
    // Outside of any if: every thread of the block has to reach this.
    __syncthreads();
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) sum += mask[i][j] * tile[threadIdx.y + i][threadIdx.x + j];
    out[y * width + x] = sum;
}

int main(int argc, char **argv) {
    int width = argc == 3 ? atoi(argv[1]) : 0, height = argc == 3 ? atoi(argv[2]) : 0;
    if (width < 1 || height < 1) {
        fprintf(stderr, "usage: %s WIDTH HEIGHT\n", argv[0]);
        return 2;
    }
    int points = width * height;
    size_t bytes = points * sizeof(float);
    float *image = (float *)malloc(bytes), *expected = (float *)malloc(bytes), *found = (float *)malloc(bytes);
    float factors[SIDE][SIDE];
    // Whole numbers, so that all sums are exact, and each result can be compared to the last bit.
    for (int i = 0; i < SIDE * SIDE; i++) factors[i / SIDE][i % SIDE] = i * i % 11 - 5;
    for (int i = 0; i < points; i++) image[i] = (i % 101) * (i % 101) % 101;
    for (int p = 0; p < points; p++) {
        expected[p] = 0;
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                expected[p] +=
                    factors[i][j] * at(image, width, height, p % width + j - RADIUS, p / width + i - RADIUS);
    }

    float *in, *out;
    check(cudaMalloc(&in, bytes), "memory for the image");
    check(cudaMalloc(&out, bytes), "memory for the result");
    check(cudaMemcpy(in, image, bytes, cudaMemcpyHostToDevice), "copy of the image");
    // Without this the mask is all zeros, and no call fails.
    check(cudaMemcpyToSymbol(mask, factors, sizeof factors), "copy of the mask");
    dim3 threads(TILE, TILE), blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    int wrong_in_all = 0;
    for (int is_tiled = 0; is_tiled < 2; is_tiled++) {
        check(cudaMemset(out, 0xff, bytes), "no results yet");
        if (is_tiled)
            tiled<<<blocks, threads>>>(in, out, width, height);
        else
            plain<<<blocks, threads>>>(in, out, width, height);
        check(cudaGetLastError(), "launch");
        check(cudaMemcpy(found, out, bytes, cudaMemcpyDeviceToHost), "copy of the result");
        int wrong = 0;
        for (int p = 0; p < points; p++) wrong += found[p] != expected[p];
        printf("%s: %d of %d wrong\n", is_tiled ? "tiles in shared memory" : "a thread a point", wrong, points);
        wrong_in_all += wrong;
    }
    check(cudaFree(in), "free");
    check(cudaFree(out), "free");
    free(image);
    free(expected);
    free(found);
    return wrong_in_all == 0 ? 0 : 1;
}
