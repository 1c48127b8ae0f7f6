// A matrix product in bfloat16 by warpgroups: tiles of 64 by 128, 64 deep, in shared memory with a swizzle of 128 bytes;
// two warpgroups a block, a tile ahead by cp.async. Checked against a plain loop, and bit for bit where sums are exact.
// nvcc: -gencode arch=compute_90a,code=[compute_90a,sm_90a] -std=c++17
// device: h200
#include "common.cuh"
#include <cmath>
#include <cstdint>
#include <cuda_bf16.h>
#include <vector>

const int GROUPS = 2, BM = 64 * GROUPS, BN = 128, BK = 64, STAGES = 2;
const int THREADS = 128 * GROUPS;
// Bytes of a row of a tile: as wide as the swizzle.
const int ROW = BK * 2;

struct Stage {
    uint8_t a[BM * ROW], b[BN * ROW];
};

// Tiles along the depth with a swizzle of 128 bytes: eight rows are 1024 bytes.
__device__ uint64_t make_smem_desc(const void *tile) {
    uint64_t at = __cvta_generic_to_shared(tile);
    return (at & 0x3ffff) >> 4 | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

// Begins to copy rows of a matrix whose rows have `k` elements: 16 bytes a thread and step, each to its place.
__device__ void fetch(uint8_t *tile, const __nv_bfloat16 *from, int rows, int k) {
    for (int i = threadIdx.x; i < rows * (ROW / 16); i += THREADS) {
        int row = i / (ROW / 16), piece = i % (ROW / 16);
        uint32_t to = __cvta_generic_to_shared(tile + row * ROW + (piece ^ row % 8) * 16);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + size_t(row) * k + piece * 8));
    }
}

#define D8(at) "+f"(d[at]), "+f"(d[at + 1]), "+f"(d[at + 2]), "+f"(d[at + 3]), "+f"(d[at + 4]), "+f"(d[at + 5]), "+f"(d[at + 6]), "+f"(d[at + 7])

__device__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int adds) {
    asm volatile(
        "{\n"
        ".reg .pred adds;\n"
        "setp.ne.b32 adds, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, adds, 1, 1, 0, 0;\n"
        "}\n"
        : D8(0), D8(8), D8(16), D8(24), D8(32), D8(40), D8(48), D8(56)
        : "l"(a), "l"(b), "r"(adds));
}

// C (m by n) = A (m by k, row by row) * B (k by n, column by column).
__global__ void __launch_bounds__(THREADS) gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n, int k) {
    extern __shared__ __align__(1024) uint8_t memory[];
    Stage *stages = reinterpret_cast<Stage *>(memory);
    int group = threadIdx.x / 128, steps = k / BK;
    a += size_t(blockIdx.y) * BM * k;
    b += size_t(blockIdx.x) * BN * k;
    auto begin = [&](int step) {
        if (step < steps) {
            fetch(stages[step % STAGES].a, a + step * BK, BM, k);
            fetch(stages[step % STAGES].b, b + step * BK, BN, k);
        }
        asm volatile("cp.async.commit_group;");
    };
    float d[64];
    begin(0);
    for (int step = 0; step < steps; step++) {
        begin(step + 1);
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        Stage &stage = stages[step % STAGES];
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        uint64_t of_a = make_smem_desc(stage.a + group * 64 * ROW), of_b = make_smem_desc(stage.b);
        // 16 elements further along the depth are 32 bytes.
        for (int i = 0; i < BK / 16; i++) multiply(d, of_a + 2 * i, of_b + 2 * i, step > 0 || i > 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
    c += (size_t(blockIdx.y) * BM + row) * n + blockIdx.x * BN + lane % 4 * 2;
    for (int i = 0; i < 64; i += 2) {
        float2 pair = make_float2(d[i], d[i + 1]);
        *reinterpret_cast<float2 *>(c + size_t(i / 2 % 2 * 8) * n + i / 4 * 8) = pair;
    }
}

static void try_with(int m, int n, int k, bool whole) {
    std::vector<__nv_bfloat16> a(m * k), b(n * k);
    uint32_t state = 1;
    auto next = [&] {
        state = state * 1664525 + 1013904223;
        int value = int(state >> 24) - 128;
        return __float2bfloat16(whole ? value % 8 : value / 96.0f);
    };
    for (auto &x : a) x = next();
    for (auto &x : b) x = next();
    std::vector<float> c(m * n);
    __nv_bfloat16 *device_a, *device_b;
    float *device_c;
    OK(cudaMalloc(&device_a, a.size() * 2));
    OK(cudaMalloc(&device_b, b.size() * 2));
    OK(cudaMalloc(&device_c, c.size() * 4));
    OK(cudaMemcpy(device_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(device_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice));
    int bytes = sizeof(Stage) * STAGES;
    OK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    gemm<<<dim3(n / BN, m / BM), THREADS, bytes>>>(device_a, device_b, device_c, n, k);
    OK(cudaGetLastError());
    OK(cudaMemcpy(c.data(), device_c, c.size() * 4, cudaMemcpyDeviceToHost));
    double checksum = 0;
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            double wanted = 0, size = 0;
            for (int i = 0; i < k; i++) {
                double term = double(__bfloat162float(a[row * k + i])) * __bfloat162float(b[column * k + i]);
                wanted += term;
                size += fabs(term);
            }
            double found = c[row * n + column];
            IS(whole ? found == wanted : fabs(found - wanted) <= size * k * 1e-7);
            checksum += found * ((row * 3 + column) % 7);
        }
    if (whole) printf("%d x %d x %d: exact, %.0f\n", m, n, k, checksum);
    else printf("%d x %d x %d: within the tolerance\n", m, n, k);
    OK(cudaFree(device_a));
    OK(cudaFree(device_b));
    OK(cudaFree(device_c));
}

int main() {
    try_with(128, 128, 64, true);
    try_with(256, 256, 192, true);
    try_with(128, 256, 320, false);
    return 0;
}
