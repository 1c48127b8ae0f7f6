// Tiles in shared memory, of fixed and of dynamic size.
#include "../common.cuh"

// The transpose of a matrix, through a tile with a padded row.
__global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Sums of all elements at most `radius` away; the tile has a halo on both sides.
__global__ void window_sums(const int *in, int *out, int n, int radius) {
    extern __shared__ int tile[];
    int first = blockIdx.x * blockDim.x - radius;
    for (int i = threadIdx.x; i < int(blockDim.x) + 2 * radius; i += blockDim.x) {
        int place = first + i;
        tile[i] = place >= 0 && place < n ? in[place] : 0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k <= 2 * radius; k++) sum += tile[threadIdx.x + k];
    out[i] = sum;
}

// A bitonic sort of 512 keys, of which the last ones may be missing.
__global__ void sort_blocks(int *keys, int n) {
    __shared__ int tile[512];
    int base = blockIdx.x * 512;
    for (int i = threadIdx.x; i < 512; i += blockDim.x) tile[i] = base + i < n ? keys[base + i] : 0x7fffffff;
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            int j = i + stride;
            bool descending = (i & size) != 0;
            int a = tile[i], b = tile[j];
            if ((a > b) != descending) tile[i] = b, tile[j] = a;
        }
    __syncthreads();
    for (int i = threadIdx.x; i < 512 && base + i < n; i += blockDim.x) keys[base + i] = tile[i];
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"transpose", [](int n) {
            int columns = n % 77 + 1, rows = n / columns + 1;
            std::vector<float> values = numbers<float>(rows * columns), expected(values.size());
            for (int y = 0; y < rows; y++)
                for (int x = 0; x < columns; x++) expected[x * rows + y] = values[y * columns + x];
            Array<float> in(values), out(values.size());
            dim3 grid((columns + 31) / 32, (rows + 31) / 32);
            transpose<<<grid, dim3(32, 8)>>>(in.get(), out.get(), rows, columns);
            return out.is(expected);
        }},
        {"window_sums", [](int n) {
            const int radius = 37;
            std::vector<int> values = numbers(n), expected(n);
            for (int i = 0; i < n; i++)
                for (int k = std::max(0, i - radius); k <= std::min(n - 1, i + radius); k++) expected[i] += values[k];
            Array<int> in(values), out(n);
            window_sums<<<(n + 127) / 128, 128, (128 + 2 * radius) * sizeof(int)>>>(in.get(), out.get(), n, radius);
            return out.is(expected);
        }},
        {"sort_blocks", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Array<int> keys(values);
            sort_blocks<<<(n + 511) / 512, 256>>>(keys.get(), n);
            for (int i = 0; i < n; i += 512) std::sort(values.begin() + i, values.begin() + std::min(n, i + 512));
            return keys.is(values);
        }},
    });
}
