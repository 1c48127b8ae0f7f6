// Measures products by the warpgroup (wgmma) on the GPU at hand, as comma-separated lines: curve, x, value, unit.
//
//   nvcc -O2 -gencode arch=compute_90a,code=sm_90a -o warpgroup warpgroup.cu && ./warpgroup > warpgroup.csv
//
// Its instructions are of compute capability 9.0 alone, which is why it is not a part of curves.cu. A product of 64 rows
// by 128 columns counts as 64 of 16 x 8, as the model counts them: x 16 of bfloat16, or x 8 of TF32. Both operands lie in
// shared memory, in rows of 128 bytes without a swizzle; they hold zeros.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "error: line %d: %s\n", line, cudaGetErrorString(error));
    exit(4);
}
#define CHECK(call) check((call), __LINE__)

enum Kind { BF16, TF32 };
constexpr int ROUNDS = 512, EACH = 4;

// The address, the leading and the stride byte offset of an operand without a swizzle, each in units of 16 bytes.
__device__ uint64_t descriptor(const void* operand) {
    uint64_t at = __cvta_generic_to_shared(operand);
    return (at & 0x3ffff) >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
#define WGMMA(shape, types, majors)                                                                                    \
    asm volatile(                                                                                                      \
        "wgmma.mma_async.sync.aligned." shape ".f32." types " "                                                        \
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                                                      \
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"                                             \
        "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"                                             \
        "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, 1, 1, 1" majors ";"               \
        : D16(0), D16(16), D16(32), D16(48)                                                                            \
        : "l"(a), "l"(b))

// Each warpgroup adds EACH products to the same sums, and waits until all but the last group of them are there.
template <Kind kind, int PENDING>
__global__ void products(long long* cycles, float* sink) {
    __shared__ alignas(128) unsigned char operands[2048 + 4096];
    for (int i = threadIdx.x; i < 6144; i += blockDim.x) operands[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint64_t a = descriptor(operands), b = descriptor(operands + 2048);
    float d[64] = {};
    long long start = clock64();
    for (int i = 0; i < ROUNDS; i++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < (PENDING ? EACH : 1); k++) {
            if (kind == BF16) WGMMA("m64n128k16", "bf16.bf16", ", 0, 0");
            if (kind == TF32) WGMMA("m64n128k8", "tf32.tf32", "");
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (PENDING)
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        else
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = clock64() - start;
    float sum = 0;
    for (int i = 0; i < 64; i++) sum += d[i];
    sink[threadIdx.x] = sum;
}

template <Kind kind>
static void of(const char* name, int sms, long long* cycles, float* sink) {
    products<kind, 0><<<1, 128>>>(cycles, sink);
    CHECK(cudaDeviceSynchronize());
    printf("latency of a product of 64 x 128 in %s,128,%.4g,clocks\n", name, (double)*cycles / ROUNDS);
    for (int blocks : {1, sms})
        for (int threads : {128, 256, 512}) {
            products<kind, 1><<<blocks, threads>>>(cycles, sink);
            CHECK(cudaDeviceSynchronize());
            double rate = 64.0 * ROUNDS * EACH * (threads / 128) / *cycles;
            printf("%s products by threads of a block and %d blocks,%d,%.4g,16 x 8 a clock and SM\n", name, blocks, threads, rate);
        }
}

int main() {
    cudaDeviceProp part;
    long long* cycles;
    float* sink;
    CHECK(cudaGetDeviceProperties(&part, 0));
    CHECK(cudaMallocHost(&cycles, 8));
    CHECK(cudaMalloc(&sink, 4096));
    printf("curve,x,value,unit\n# %s\n", part.name);
    of<BF16>("BF16", part.multiProcessorCount, cycles, sink);
    of<TF32>("TF32", part.multiProcessorCount, cycles, sink);
    return 0;
}
