// Clusters of blocks: sizes fixed by the kernel and by the launch, and a histogram spread over shared memory of blocks.
// nvcc: -arch=sm_90 -std=c++17
// device: h200
#include "common.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) ranks(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ int rank;
    if (threadIdx.x == 0) rank = cluster.block_rank();
    cluster.sync();
    int next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int *other = cluster.map_shared_rank(&rank, next);
    if (threadIdx.x == 0) out[blockIdx.x] = 100 * cluster.num_blocks() + 10 * cluster.block_rank() + *other;
    cluster.sync();
}

const int BINS = 256;

// Each block of a cluster holds a part of the bins; threads add to those of any block.
__global__ void histogram(const unsigned char *text, int n, int *counts) {
    extern __shared__ int bins[];
    cg::cluster_group cluster = cg::this_cluster();
    int part = BINS / cluster.num_blocks();
    for (int i = threadIdx.x; i < part; i += blockDim.x) bins[i] = 0;
    cluster.sync();
    for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) {
        int *there = cluster.map_shared_rank(bins, text[i] / part);
        atomicAdd(there + text[i] % part, 1);
    }
    cluster.sync();
    int *mine = counts + cluster.block_rank() * part;
    for (int i = threadIdx.x; i < part; i += blockDim.x) atomicAdd(&mine[i], bins[i]);
}

static cudaError_t launch(int blocks, int size, const unsigned char *text, int n, int *counts) {
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = 128;
    config.dynamicSmemBytes = BINS / size * sizeof(int);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, histogram, text, n, counts);
}

int main() {
    const int n = 20000;
    static unsigned char text[n];
    int *out, expected[BINS] = {}, host[BINS];
    unsigned char *data;
    OK(cudaMalloc(&out, sizeof host));
    ranks<<<8, 64>>>(out);
    OK(cudaMemcpy(host, out, 8 * sizeof *host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) IS(host[i] == 400 + 10 * (i % 4) + (i + 1) % 4);
    for (int i = 0; i < n; i++) expected[text[i] = i * i / 7 % BINS]++;
    OK(cudaMalloc(&data, n));
    OK(cudaMemcpy(data, text, n, cudaMemcpyHostToDevice));
    for (int size = 1; size <= 8; size *= 2) {
        OK(cudaMemset(out, 0, sizeof host));
        OK(launch(16, size, data, n, out));
        OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
        for (int i = 0; i < BINS; i++) IS(host[i] == expected[i]);
    }
    // Sixteen blocks are too many, unless the function allows it.
    IS(CODE(launch(16, 16, data, n, out)) == cudaErrorInvalidClusterSize);
    OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(launch(16, 16, data, n, out));
    OK(cudaDeviceSynchronize());
    int yes = 0, most = 0;
    OK(cudaDeviceGetAttribute(&yes, cudaDevAttrClusterLaunch, 0));
    IS(yes == 1);
    cudaLaunchConfig_t config = {};
    config.gridDim = 16;
    config.blockDim = 128;
    OK(cudaOccupancyMaxPotentialClusterSize(&most, histogram, &config));
    IS(most == 16);
    printf("the clusters agree\n");
    return 0;
}
