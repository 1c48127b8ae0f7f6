// Random numbers that kernels generate, by the headers of cuRAND: four generators, uniform, normal and Poisson,
// and what skipping ahead does. The ranges that a profiler would show are marked.
#include "common.cuh"
#include <cmath>
#include <cuda_profiler_api.h>
#include <curand_kernel.h>
#include <nvtx3/nvToolsExt.h>

const int THREADS = 1024;

template <typename State> __global__ void prepare(State *states, unsigned long long seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, 0, &states[i]);
}

// Of `points` in a square, how many lie in the circle's quarter.
template <typename State> __global__ void circle(State *states, int points, unsigned *inside) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    State state = states[i];
    unsigned mine = 0;
    for (int k = 0; k < points; k++) {
        float x = curand_uniform(&state), y = curand_uniform(&state);
        mine += x * x + y * y <= 1;
    }
    atomicAdd(inside, mine);
    states[i] = state;
}

template <typename State> void count(const char *name) {
    nvtxRangePushA(name);
    State *states;
    unsigned *inside, found;
    OK(cudaMalloc(&states, THREADS * sizeof(State)));
    OK(cudaMalloc(&inside, sizeof *inside));
    OK(cudaMemset(inside, 0, sizeof *inside));
    prepare<<<THREADS / 128, 128>>>(states, 42);
    circle<<<THREADS / 128, 128>>>(states, 100, inside);
    OK(cudaMemcpy(&found, inside, sizeof found, cudaMemcpyDeviceToHost));
    OK(cudaFree(states));
    OK(cudaFree(inside));
    nvtxRangePop();
    IS(std::fabs(4.0 * found / (100.0 * THREADS) - 3.14159) < 0.02);
    printf("%s: %u\n", name, found);
}

__global__ void others(float *normal, unsigned *poisson, int *skips) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state, ahead;
    curand_init(7, i, 0, &state);
    ahead = state;
    float4 four = curand_normal4(&state);
    normal[4 * i] = four.x, normal[4 * i + 1] = four.y, normal[4 * i + 2] = four.z, normal[4 * i + 3] = four.w;
    skipahead(4, &ahead);
    skips[i] = curand(&ahead) == curand(&state);
    poisson[i] = curand_poisson(&state, 5.0);
}

int main() {
    OK(cudaProfilerStart());
    count<curandStateXORWOW_t>("XORWOW");
    count<curandStatePhilox4_32_10_t>("Philox");
    count<curandStateMRG32k3a_t>("MRG32k3a");
    OK(cudaProfilerStop());
    float *normal;
    unsigned *poisson;
    int *skips;
    OK(cudaMallocManaged(&normal, 4 * THREADS * sizeof(float)));
    OK(cudaMallocManaged(&poisson, THREADS * sizeof(unsigned)));
    OK(cudaMallocManaged(&skips, THREADS * sizeof(int)));
    others<<<THREADS / 128, 128>>>(normal, poisson, skips);
    OK(cudaDeviceSynchronize());
    double sum = 0, squares = 0, events = 0;
    for (int i = 0; i < 4 * THREADS; i++) sum += normal[i], squares += double(normal[i]) * normal[i];
    for (int i = 0; i < THREADS; i++) {
        events += poisson[i];
        IS(skips[i] == 1);
    }
    IS(std::fabs(sum / (4 * THREADS)) < 0.05 && std::fabs(squares / (4 * THREADS) - 1) < 0.1);
    IS(std::fabs(events / THREADS - 5) < 0.3);
    puts("the moments are right");
}
