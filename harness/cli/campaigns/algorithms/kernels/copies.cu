// Asynchronous copies into shared memory: two buffers by hand, a pipeline, and a barrier.
#include "../common.cuh"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

const int TILE = 128;

// Tiles of one block after the other, the next one of which is copied while this one is used.
__global__ void two_buffers(const float *in, float *out, int tiles) {
    __shared__ alignas(16) float buffers[2][TILE];
    auto fetch = [&](int tile, int buffer) {
        if (tile < tiles && threadIdx.x < TILE / 4)
            __pipeline_memcpy_async(&buffers[buffer][4 * threadIdx.x], &in[tile * TILE + 4 * threadIdx.x], 16);
        __pipeline_commit();
    };
    fetch(blockIdx.x, 0);
    int buffer = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        fetch(tile + gridDim.x, 1 - buffer);
        __pipeline_wait_prior(1);
        __syncthreads();
        out[tile * TILE + threadIdx.x] = buffers[buffer][TILE - 1 - threadIdx.x];
        __syncthreads();
        buffer = 1 - buffer;
    }
}

// The same by a pipeline of four stages that all threads of the block share.
__global__ void four_stages(const float *in, float *out, int tiles) {
    __shared__ alignas(16) float buffers[4][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 4> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int ahead = 0;
    for (int tile = 0; tile < tiles; tile++) {
        for (; ahead < tiles && ahead < tile + 4; ahead++) {
            pipeline.producer_acquire();
            auto size = cuda::aligned_size_t<16>(TILE * sizeof(float));
            cuda::memcpy_async(block, buffers[ahead % 4], in + ahead * TILE, size, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[tile * TILE + threadIdx.x] = buffers[tile % 4][TILE - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
}

// A tile that arrives at a barrier, with its elements summed up in place.
__global__ void arrive(const float *in, float *out, int n) {
    __shared__ alignas(16) float tile[TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) init(&barrier, block.size());
    block.sync();
    int first = blockIdx.x * TILE, count = min(TILE, n - first);
    cuda::memcpy_async(block, tile, in + first, sizeof(float) * count, barrier);
    barrier.arrive_and_wait();
    float sum = 0;
    if (threadIdx.x < count)
        for (int i = 0; i <= threadIdx.x; i++) sum += tile[i];
    auto token = barrier.arrive();
    if (threadIdx.x < count) out[first + threadIdx.x] = sum;
    barrier.wait(std::move(token));
}

// Each tile reversed.
static std::vector<float> reversed(const std::vector<float> &values) {
    std::vector<float> results = values;
    for (size_t i = 0; i < values.size(); i += TILE) std::reverse(results.begin() + i, results.begin() + i + TILE);
    return results;
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"two_buffers", [](int n) {
            int tiles = n / TILE + 1;
            std::vector<float> values = numbers<float>(tiles * TILE);
            Array<float> in(values), out(values.size());
            two_buffers<<<5, TILE>>>(in.get(), out.get(), tiles);
            return out.is(reversed(values));
        }},
        {"four_stages", [](int n) {
            int tiles = n / TILE + 1;
            std::vector<float> values = numbers<float>(tiles * TILE);
            Array<float> in(values), out(values.size());
            four_stages<<<1, TILE>>>(in.get(), out.get(), tiles);
            return out.is(reversed(values));
        }},
        {"arrive", [](int n) {
            std::vector<float> values = numbers<float>(n), expected = values;
            for (int i = 1; i < n; i++)
                if (i % TILE) expected[i] += expected[i - 1];
            Array<float> in(values), out(n);
            arrive<<<(n + TILE - 1) / TILE, TILE>>>(in.get(), out.get(), n);
            return out.is(expected);
        }},
    });
}
