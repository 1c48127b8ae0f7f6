// Bulk copies between global and shared memory, as the programming guide has them: an mbarrier for the way in, groups
// for the way out.
// nvcc: -arch=sm_90 -std=c++17
// device: h200
#include "common.cuh"
#include <cuda/barrier>
#include <cuda/ptx>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;

const int TILE = 1024;

// Adds one to every element, tile by tile, in place.
__global__ void add_one(int *data) {
    __shared__ alignas(128) int tile[TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    int *mine = data + blockIdx.x * TILE;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(tile, mine, cuda::aligned_size_t<16>(sizeof tile), barrier);
        token = barrier.arrive();
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (int i = threadIdx.x; i < TILE; i += blockDim.x) tile[i] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, mine, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// The sum of all tiles, element by element, by reductions in bulk.
__global__ void sum_up(const int *data, int *sums) {
    __shared__ alignas(128) int tile[TILE];
    for (int i = threadIdx.x; i < TILE; i += blockDim.x) tile[i] = data[blockIdx.x * TILE + i];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

int main() {
    const int tiles = 8;
    static int host[tiles * TILE];
    for (int i = 0; i < tiles * TILE; i++) host[i] = i;
    int *data, *sums;
    OK(cudaMalloc(&data, sizeof host));
    OK(cudaMalloc(&sums, TILE * sizeof(int)));
    OK(cudaMemset(sums, 0, TILE * sizeof(int)));
    OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    add_one<<<tiles, 128>>>(data);
    sum_up<<<tiles, 128>>>(data, sums);
    OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < tiles * TILE; i++) IS(host[i] == i + 1);
    OK(cudaMemcpy(host, sums, TILE * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < TILE; i++) IS(host[i] == tiles * (i + 1) + TILE * (tiles * (tiles - 1) / 2));
    printf("the tiles have come and gone\n");
    return 0;
}
