// Copies that overlap with computation: cuda::pipeline of blocks and of threads, the functions of
// cuda_pipeline.h, and barriers with separate arrivals and waits.
// nvcc: -std=c++17 -arch=sm_80
#include "common.cuh"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <vector>

namespace cg = cooperative_groups;

const int TILE = 256, STAGES = 3, TILES = 10;

__device__ int changed(int x) { return x * 3 + 1; }

__global__ void of_block(const int *in, int *out, int tiles) {
    __shared__ int data[STAGES][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int tile = 0, next = 0; tile < tiles; tile++) {
        for (; next < tiles && next < tile + STAGES; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, data[next % STAGES], in + next * TILE, sizeof(int) * TILE, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        // The neighbour's element shows that the whole block's copies are there.
        int other = data[tile % STAGES][(threadIdx.x + 1) % TILE];
        out[tile * TILE + threadIdx.x] = changed(other);
        pipeline.consumer_release();
    }
}

__global__ void of_threads(const int4 *in, int4 *out, int tiles) {
    __shared__ int4 data[2][TILE];
    auto pipeline = cuda::make_pipeline();
    auto fetch = [&](int tile) {
        pipeline.producer_acquire();
        cuda::memcpy_async(&data[tile % 2][threadIdx.x], in + tile * TILE + threadIdx.x,
                           cuda::aligned_size_t<16>(16), pipeline);
        pipeline.producer_commit();
    };
    fetch(0);
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) fetch(tile + 1);
        if (tile + 1 < tiles)
            cuda::pipeline_consumer_wait_prior<1>(pipeline);
        else
            cuda::pipeline_consumer_wait_prior<0>(pipeline);
        int4 x = data[tile % 2][threadIdx.x];
        out[tile * TILE + threadIdx.x] = make_int4(changed(x.w), changed(x.z), changed(x.y), changed(x.x));
        pipeline.consumer_release();
    }
}

__global__ void by_functions(const double *in, double *out) {
    __shared__ double data[2][TILE];
    for (int part = 0; part < 2; part++) {
        __pipeline_memcpy_async(&data[part][threadIdx.x], in + part * TILE + threadIdx.x, sizeof(double));
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    double first = data[0][threadIdx.x];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = first + data[1][TILE - 1 - threadIdx.x];
}

// Half of the warps make tiles, the other half takes them; two barriers for each of two places.
__global__ void made_and_taken(int *out, int tiles) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier full[2], empty[2];
    __shared__ int place[2][TILE / 2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], TILE);
        init(&empty[threadIdx.x], TILE);
    }
    __syncthreads();
    bool makes = threadIdx.x < TILE / 2;
    int lane = threadIdx.x % (TILE / 2);
    if (!makes)
        for (auto &barrier : empty) (void)barrier.arrive();
    for (int tile = 0; tile < tiles; tile++) {
        if (makes) {
            empty[tile % 2].arrive_and_wait();
            place[tile % 2][lane] = tile * 1000 + lane;
            (void)full[tile % 2].arrive();
        } else {
            full[tile % 2].arrive_and_wait();
            out[tile * (TILE / 2) + lane] = place[tile % 2][TILE / 2 - 1 - lane];
            (void)empty[tile % 2].arrive();
        }
    }
}

template <class T> T *managed(size_t n) {
    T *p;
    OK(cudaMallocManaged(&p, n * sizeof(T)));
    return p;
}

int main() {
    const int n = TILE * TILES;
    int *in = managed<int>(4 * n), *out = managed<int>(4 * n);
    for (int i = 0; i < 4 * n; i++) in[i] = i * i % 1009;
    of_block<<<1, TILE>>>(in, out, TILES);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) IS(out[i] == 3 * in[i / TILE * TILE + (i + 1) % TILE] + 1);
    puts("a block's pipeline is right");
    of_threads<<<1, TILE>>>((int4 *)in, (int4 *)out, TILES);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 4 * n; i++) IS(out[i] == 3 * in[i / 4 * 4 + 3 - i % 4] + 1);
    puts("the threads' pipelines are right");
    double *x = managed<double>(2 * TILE), *y = managed<double>(TILE);
    for (int i = 0; i < 2 * TILE; i++) x[i] = i * 0.25;
    by_functions<<<1, TILE>>>(x, y);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < TILE; i++) IS(y[i] == x[i] + x[2 * TILE - 1 - i]);
    puts("the functions of cuda_pipeline.h are right");
    made_and_taken<<<1, TILE>>>(out, 7);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 7 * TILE / 2; i++)
        IS(out[i] == i / (TILE / 2) * 1000 + TILE / 2 - 1 - i % (TILE / 2));
    puts("what some warps make is taken by others");
    for (void *p : {(void *)in, (void *)out, (void *)x, (void *)y}) OK(cudaFree(p));
}
