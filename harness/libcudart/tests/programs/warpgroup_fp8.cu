// Products by a warpgroup of FP8 and of bytes: whole numbers, whose sums are exact, against plain loops.
// nvcc: -gencode arch=compute_90a,code=[compute_90a,sm_90a] -std=c++17
// device: h200
#include "common.cuh"
#include <cstdint>
#include <cuda_fp8.h>

const int M = 64, N = 16, K = 64;

// Tiles along the depth with a swizzle of 64 bytes: eight rows are 512 bytes.
__device__ uint64_t make_smem_desc(const void *tile) {
    uint64_t at = __cvta_generic_to_shared(tile);
    return (at & 0x3ffff) >> 4 | uint64_t(512 >> 4) << 32 | uint64_t(2) << 62;
}

#define MULTIPLY(NAME, TYPES, REGISTER, CONSTRAINT, SCALES)                                                            \
    __device__ void NAME(REGISTER(&d)[8], uint64_t a, uint64_t b) {                                                    \
        asm volatile("{\n"                                                                                             \
                     ".reg .pred adds;\n"                                                                              \
                     "setp.ne.b32 adds, 1, 0;\n"                                                                       \
                     "wgmma.mma_async.sync.aligned.m64n16k32." TYPES                                                   \
                     " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, adds" SCALES ";\n"                                    \
                     "}\n"                                                                                             \
                     : CONSTRAINT(d[0]), CONSTRAINT(d[1]), CONSTRAINT(d[2]), CONSTRAINT(d[3]), CONSTRAINT(d[4]),       \
                       CONSTRAINT(d[5]), CONSTRAINT(d[6]), CONSTRAINT(d[7])                                            \
                     : "l"(a), "l"(b));                                                                                \
    }

MULTIPLY(e4m3_by_e4m3, "f32.e4m3.e4m3", float, "+f", ", 1, 1")
MULTIPLY(e4m3_by_e5m2, "f32.e4m3.e5m2", float, "+f", ", 1, 1")
MULTIPLY(s8_by_s8, "s32.s8.s8", int, "+r", "")

// Which product a kernel computes.
enum Kind { E4M3, MIXED, BYTES };

template <Kind KIND, typename C> __global__ void product(const uint8_t *a, const uint8_t *b, C *c) {
    __shared__ alignas(1024) uint8_t tile_a[M * K];
    __shared__ alignas(1024) uint8_t tile_b[N * K];
    auto place = [](int at) {
        int row = at / K, byte = at % K;
        return row * K + (byte / 16 ^ row / 2 % 4) * 16 + byte % 16;
    };
    for (int i = threadIdx.x; i < M * K; i += blockDim.x) tile_a[place(i)] = a[i];
    for (int i = threadIdx.x; i < N * K; i += blockDim.x) tile_b[place(i)] = b[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    C d[8] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < K / 32; k++) {
        uint64_t of_a = make_smem_desc(tile_a) + 2 * k, of_b = make_smem_desc(tile_b) + 2 * k;
        if constexpr (KIND == E4M3) e4m3_by_e4m3(d, of_a, of_b);
        else if constexpr (KIND == MIXED) e4m3_by_e5m2(d, of_a, of_b);
        else s8_by_s8(d, of_a, of_b);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, column = lane % 4 * 2;
    for (int i = 0; i < 8; i++) c[(row + i / 2 % 2 * 8) * N + column + i / 4 * 8 + i % 2] = d[i];
}

static uint8_t bits(int value, int type) {
    if (type == 0) return __nv_fp8_e4m3(float(value)).__x;
    if (type == 1) return __nv_fp8_e5m2(float(value)).__x;
    return uint8_t(value);
}

template <Kind KIND, typename C> static void try_with(const char *name) {
    uint8_t a[M * K], b[N * K], *device_a, *device_b;
    C c[M * N], *device_c;
    auto of_a = [](int row, int k) { return (row * 5 + k * 3) % 15 - 7; };
    auto of_b = [](int k, int column) { return (k * 7 + column) % 9 - 4; };
    for (int row = 0; row < M; row++)
        for (int k = 0; k < K; k++) a[row * K + k] = bits(of_a(row, k), KIND == BYTES ? 2 : 0);
    for (int column = 0; column < N; column++)
        for (int k = 0; k < K; k++) b[column * K + k] = bits(of_b(k, column), KIND == BYTES ? 2 : KIND == MIXED ? 1 : 0);
    OK(cudaMalloc(&device_a, sizeof a));
    OK(cudaMalloc(&device_b, sizeof b));
    OK(cudaMalloc(&device_c, sizeof c));
    OK(cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));
    product<KIND, C><<<1, 128>>>(device_a, device_b, device_c);
    OK(cudaMemcpy(c, device_c, sizeof c, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int row = 0; row < M; row++)
        for (int column = 0; column < N; column++) {
            int wanted = 0;
            for (int k = 0; k < K; k++) wanted += of_a(row, k) * of_b(k, column);
            IS(c[row * N + column] == wanted);
            sum += double(wanted) * (row % 3 + 1);
        }
    printf("%s: %g\n", name, sum);
    OK(cudaFree(device_a));
    OK(cudaFree(device_b));
    OK(cudaFree(device_c));
}

int main() {
    try_with<E4M3, float>("e4m3 by e4m3");
    try_with<MIXED, float>("e4m3 by e5m2");
    try_with<BYTES, int>("s8 by s8");
    return 0;
}
