// The blocks of a cluster share what they load: each brings a part of a panel of a matrix, and all of them get it.
// nvcc: -arch=sm_90a -std=c++17
// device: h200
#include "common.cuh"
#include "tensor_maps.cuh"
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

const int BLOCKS = 4, WIDTH = 64, ROWS = 8, PANELS = 6;

// Each block multiplies all rows of the panels by its own number and adds them up.
__global__ void __cluster_dims__(BLOCKS, 1, 1) add_up(const __grid_constant__ CUtensorMap map, int *sums) {
    __shared__ alignas(128) int panel[BLOCKS * ROWS][WIDTH];
    __shared__ uint64_t barrier;
    cg::cluster_group cluster = cg::this_cluster();
    int rank = cluster.block_rank(), sum = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    cluster.sync();
    for (int turn = 0; turn < PANELS; turn++) {
        if (threadIdx.x == 0) {
            int32_t at[2] = {0, (turn * BLOCKS + rank) * ROWS};
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof panel);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, panel[rank * ROWS], &map, at, &barrier,
                                      uint16_t((1 << BLOCKS) - 1));
        }
        while (!ptx::mbarrier_try_wait_parity(&barrier, turn % 2)) {
        }
        for (int row = 0; row < BLOCKS * ROWS; row++) sum += (rank + 1) * panel[row][threadIdx.x];
        // No block overwrites the panel before all have read it.
        cluster.sync();
    }
    sums[blockIdx.x * WIDTH + threadIdx.x] = sum;
}

int main() {
    const int height = PANELS * BLOCKS * ROWS - 5;
    static int host[height][WIDTH], expected[WIDTH], sums[2 * BLOCKS][WIDTH];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < WIDTH; x++) expected[x] += host[y][x] = (x + 1) * (y % 7);
    int *data, *out;
    OK(cudaMalloc(&data, sizeof host));
    OK(cudaMalloc(&out, sizeof sums));
    OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    CUtensorMap map;
    IS(plane(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, data, WIDTH, height, WIDTH, ROWS) == CUDA_SUCCESS);
    add_up<<<2 * BLOCKS, WIDTH>>>(map, out);
    OK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    for (int block = 0; block < 2 * BLOCKS; block++)
        for (int x = 0; x < WIDTH; x++) IS(sums[block][x] == (block % BLOCKS + 1) * expected[x]);
    printf("all blocks have read all panels\n");
    return 0;
}
