// Products by a warpgroup (wgmma) in their smallest shapes: factors in shared memory by descriptors, and in registers.
// nvcc: -gencode arch=compute_90a,code=[compute_90a,sm_90a] -std=c++17
// device: h200
#include "common.cuh"
#include <cstdint>
#include <cuda_fp16.h>

const int M = 64, N = 8, K = 16;

// A matrix in shared memory without a swizzle: its core matrices of 8 rows by 16 bytes lie this far apart.
__device__ uint64_t make_smem_desc(const void *matrix, uint32_t leading, uint32_t stride) {
    uint64_t at = __cvta_generic_to_shared(matrix);
    return (at & 0x3ffff) >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32;
}

__device__ void multiply(float (&d)[4], uint64_t a, uint64_t b) {
    asm volatile("{\n"
                 ".reg .pred adds;\n"
                 "setp.ne.b32 adds, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, adds, 1, 1, 0, 0;\n"
                 "}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b));
}

__device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint64_t b) {
    asm volatile("{\n"
                 ".reg .pred adds;\n"
                 "setp.ne.b32 adds, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, adds, 1, "
                 "-1, 0;\n"
                 "}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ void begin() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void end() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// C = A * B from shared memory, then minus A * B with A in registers, if `back`. B lies column by column.
__global__ void product(const __half *a, const __half *b, float *c, bool back) {
    __shared__ alignas(128) __half tile_a[M * K];
    __shared__ alignas(128) __half tile_b[N * K];
    // Core matrices: first all of the first half of the depth, then the second.
    for (int i = threadIdx.x; i < M * K; i += blockDim.x) {
        int row = i / K, k = i % K;
        tile_a[k / 8 * (M * 8) + row * 8 + k % 8] = a[i];
    }
    for (int i = threadIdx.x; i < N * K; i += blockDim.x) {
        int column = i / K, k = i % K;
        tile_b[k / 8 * (N * 8) + column * 8 + k % 8] = b[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[4] = {1, 1, 1, 1};
    uint64_t of_b = make_smem_desc(tile_b, N * 16, 128);
    begin();
    multiply(d, make_smem_desc(tile_a, M * 16, 128), of_b);
    end();
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, column = lane % 4 * 2;
    if (back) {
        uint32_t fragment[4];
        for (int i = 0; i < 4; i++) {
            int k = lane % 4 * 2 + i / 2 * 8;
            fragment[i] = *reinterpret_cast<const uint32_t *>(a + (row + i % 2 * 8) * K + k);
        }
        begin();
        multiply(d, fragment, of_b);
        end();
    }
    for (int i = 0; i < 4; i++) c[(row + i / 2 * 8) * N + column + i % 2] = d[i];
}

int main() {
    __half a[M * K], b[N * K], *device_a, *device_b;
    float c[M * N], *device_c;
    auto of_a = [](int row, int k) { return (row * 5 + k * 3) % 11 - 5; };
    auto of_b = [](int k, int column) { return (k * 7 + column) % 9 - 4; };
    for (int row = 0; row < M; row++)
        for (int k = 0; k < K; k++) a[row * K + k] = __float2half(of_a(row, k));
    for (int column = 0; column < N; column++)
        for (int k = 0; k < K; k++) b[column * K + k] = __float2half(of_b(k, column));
    OK(cudaMalloc(&device_a, sizeof a));
    OK(cudaMalloc(&device_b, sizeof b));
    OK(cudaMalloc(&device_c, sizeof c));
    OK(cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));
    for (bool back : {false, true}) {
        product<<<1, 128>>>(device_a, device_b, device_c, back);
        OK(cudaMemcpy(c, device_c, sizeof c, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (int row = 0; row < M; row++)
            for (int column = 0; column < N; column++) {
                int wanted = 1;
                for (int k = 0; k < K && !back; k++) wanted += of_a(row, k) * of_b(k, column);
                IS(c[row * N + column] == wanted);
                sum += c[row * N + column] * (row % 3 + 1);
            }
        printf("%s: %g\n", back ? "there and back" : "there", sum);
    }
    OK(cudaFree(device_a));
    OK(cudaFree(device_b));
    OK(cudaFree(device_c));
    return 0;
}
