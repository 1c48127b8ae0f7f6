// Tiles of a matrix come and go by tensor maps: the device counts the coordinates, fills what lies outside the matrix
// with zeros, and leaves out what lies outside it on the way back.
// nvcc: -arch=sm_90 -std=c++17
// device: h200
#include "common.cuh"
#include "tensor_maps.cuh"
#include <cuda/ptx>

namespace ptx = cuda::ptx;

const int WIDTH = 100, HEIGHT = 70, TILE = 32;

// Each block replaces a tile by its sums: each element with those to its left in the tile.
__global__ void add_up(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[TILE][TILE];
    __shared__ uint64_t barrier;
    int32_t at[2] = {int32_t(blockIdx.x * TILE), int32_t(blockIdx.y * TILE)};
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &barrier);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
    }
    int *row = tile[threadIdx.x];
    for (int i = 1; i < TILE; i++) row[i] += row[i - 1];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// Adds every tile to one that has the size of the others, by reductions.
__global__ void collect(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) int tile[TILE][TILE];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        int32_t at[2] = {int32_t(blockIdx.x * TILE) - 8, int32_t(blockIdx.y * TILE) - 8}, first[2] = {0, 0};
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &barrier);
        while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
        }
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &to, first, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

int main() {
    static int host[HEIGHT][WIDTH], expected[HEIGHT][WIDTH], total[TILE][TILE], sums[TILE][TILE];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            host[y][x] = x * x + 3 * y;
            expected[y][x] = host[y][x] + (x % TILE ? expected[y][x - 1] : 0);
        }
    int *data, *sum;
    OK(cudaMalloc(&data, sizeof host));
    OK(cudaMalloc(&sum, sizeof sums));
    OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemset(sum, 0, sizeof sums));
    CUtensorMap map, one;
    IS(plane(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, data, WIDTH, HEIGHT, TILE, TILE) == CUDA_SUCCESS);
    IS(plane(&one, CU_TENSOR_MAP_DATA_TYPE_INT32, sum, TILE, TILE, TILE, TILE) == CUDA_SUCCESS);
    // A row of 20 bytes is not a multiple of 16, and nothing has 257 rows.
    CUtensorMap none;
    IS(plane(&none, CU_TENSOR_MAP_DATA_TYPE_INT32, sum, TILE, TILE, 5, TILE) == CUDA_ERROR_INVALID_VALUE);
    IS(plane(&none, CU_TENSOR_MAP_DATA_TYPE_INT32, sum, TILE, TILE, TILE, 257) == CUDA_ERROR_INVALID_VALUE);
    dim3 grid((WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE);
    add_up<<<grid, TILE>>>(map);
    OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) IS(host[y][x] == expected[y][x]);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) total[(y + 8) % TILE][(x + 8) % TILE] += host[y][x];
    collect<<<dim3(4, 3), 1>>>(map, one);
    OK(cudaMemcpy(sums, sum, sizeof sums, cudaMemcpyDeviceToHost));
    for (int y = 0; y < TILE; y++)
        for (int x = 0; x < TILE; x++) IS(sums[y][x] == total[y][x]);
    printf("the tiles of the matrix have come and gone\n");
    return 0;
}
