// A matrix is transposed by tiles of 32 x 32 numbers, which lie in shared memory with a swizzle of 128 bytes: the
// columns of a tile lie in different banks, and no padding is needed.
// nvcc: -arch=sm_90 -std=c++17
// device: h200
#include "common.cuh"
#include "tensor_maps.cuh"
#include <cuda/ptx>

namespace ptx = cuda::ptx;

const int TILE = 32;

// Where an element of a tile lies: its chunk of 16 bytes is combined with the row by exclusive or.
__device__ int place(int row, int column) {
    return TILE * row + 4 * ((column / 4) ^ (row % 8)) + column % 4;
}

__global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(1024) float tile[TILE * TILE], turned[TILE * TILE];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        int32_t at[2] = {int32_t(blockIdx.x * TILE), int32_t(blockIdx.y * TILE)};
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &barrier);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
    }
    for (int row = threadIdx.y; row < TILE; row += blockDim.y)
        turned[place(row, threadIdx.x)] = tile[place(threadIdx.x, row)];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        int32_t at[2] = {int32_t(blockIdx.y * TILE), int32_t(blockIdx.x * TILE)};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, turned);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

int main() {
    const int width = 136, height = 76;
    static float host[height][width], turned[width][height];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) host[y][x] = 1000 * y + x;
    float *from, *to;
    OK(cudaMalloc(&from, sizeof host));
    OK(cudaMalloc(&to, sizeof host));
    OK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemset(to, 0, sizeof host));
    CUtensorMap map, other;
    const auto swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    IS(plane(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, from, width, height, TILE, TILE, swizzle) == CUDA_SUCCESS);
    IS(plane(&other, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, to, height, width, TILE, TILE, swizzle) == CUDA_SUCCESS);
    // Rows are no longer than the swizzle.
    CUtensorMap wide;
    IS(plane(&wide, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, to, height, width, 36, TILE, swizzle) == CUDA_ERROR_INVALID_VALUE);
    transpose<<<dim3((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), dim3(TILE, 8)>>>(map, other);
    OK(cudaMemcpy(turned, to, sizeof turned, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) IS(turned[x][y] == host[y][x]);
    printf("the matrix is transposed\n");
    return 0;
}
