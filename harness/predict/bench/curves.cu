// Measures curves from which the model's equations are drawn, on the GPU at hand, as comma-separated lines: curve, x,
// value, unit.
//
//   nvcc -O2 -gencode=arch=compute_90,code=sm_90 -o curves curves.cu && ./curves > curves.csv
//
// constants.cu measures the constants; what depends on a second quantity (atomics on their addresses, device memory on
// the share of writes, a launch on its blocks) is here. Times are medians of 21 launches by CUDA events.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "error: line %d: %s\n", line, cudaGetErrorString(error));
    exit(4);
}
#define CHECK(call) check((call), __LINE__)

static cudaDeviceProp part;
static double ghz;

static void tell(const char* curve, double x, double value, const char* unit) {
    printf("%s,%g,%.5g,%s\n", curve, x, value, unit);
    fflush(stdout);
}

// The median time, in microseconds, of 21 runs, each after `before`, which is not timed.
template <typename F, typename G>
static double median(F run, G before) {
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < 22; i++) {
        before();
        CHECK(cudaEventRecord(start));
        run();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, end));
        if (i > 0) times.push_back(ms * 1e3f);
    }
    CHECK(cudaGetLastError());
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

template <typename F>
static double median(F run) {
    return median(run, [] {});
}

// --- launches ---

__global__ void nothing() {}

__global__ void add(const float* a, const float* b, float* c, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static void of_launches() {
    const int blocks[] = {1, 132, 1056, 8192, 65536, 1 << 20}, threads[] = {32, 128, 256, 512, 1024};
    char name[64];
    for (int t : threads) {
        snprintf(name, sizeof name, "empty kernel by blocks of %d threads", t);
        for (int b : blocks) tell(name, b, median([&] { nothing<<<b, t>>>(); }), "us");
    }
    for (int many : {1, 2, 4, 16, 64})
        tell("empty kernels one after another", many, median([&] {
            for (int i = 0; i < many; i++) nothing<<<132, 256>>>();
        }), "us");
    float *a, *b, *c, *other;
    size_t most = (size_t)1 << 24;
    for (float** p : {&a, &b, &c}) CHECK(cudaMalloc(p, most * 4));
    CHECK(cudaMalloc(&other, (size_t)256 << 20));
    CHECK(cudaMemset(a, 0, most * 4));
    CHECK(cudaMemset(b, 0, most * 4));
    for (size_t n = 1 << 10; n <= most; n *= 2) {
        auto run = [&] { add<<<(unsigned)((n + 255) / 256), 256>>>(a, b, c, n); };
        tell("sum of two vectors, repeated", n, median(run), "us");
        double poisoned = median(run, [&] { cudaMemsetAsync(c, 255, n * 4); });
        tell("sum of two vectors, its output poisoned before", n, poisoned, "us");
        tell("sum of two vectors, cold", n, median(run, [&] { cudaMemsetAsync(other, 1, (size_t)256 << 20); }), "us");
    }
    for (float* p : {a, b, c, other}) CHECK(cudaFree(p));
}

// --- device memory and the L2 cache ---

template <int READS, int WRITES>
__global__ void stream(const float4* from, float4* to, size_t n) {
    size_t step = gridDim.x * (size_t)blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) {
        float4 sum = make_float4(1, 2, 3, 4);
        for (int r = 0; r < READS; r++) {
            float4 v = from[i + r * n];
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        }
        for (int w = 0; w < WRITES; w++) to[i + w * n] = sum;
        if (WRITES == 0 && sum.x == 1.2345f) *to = sum;
    }
}

template <int READS, int WRITES>
static void mixed(const char* curve, const float4* from, float4* to, size_t n, int repeats) {
    double us = median([&] {
        for (int i = 0; i < repeats; i++) stream<READS, WRITES><<<part.multiProcessorCount * 8, 256>>>(from, to, n);
    });
    tell(curve, (double)WRITES / (READS + WRITES), 16.0 * n * repeats * (READS + WRITES) / us / 1e3, "GB/s");
}

template <int READS>
static void ways(const char* curve, const float4* from, float4* to, size_t n, int repeats) {
    if (READS > 0) mixed<READS, 0>(curve, from, to, n, repeats);
    mixed<READS, 1>(curve, from, to, n, repeats);
    mixed<READS, 2>(curve, from, to, n, repeats);
    mixed<READS, 3>(curve, from, to, n, repeats);
}

__global__ void scatter(float* to, size_t sectors, unsigned words) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < sectors)
        for (unsigned w = 0; w < words; w++) to[i * 8 + w] = 1;
}

static void of_memory() {
    size_t n = (size_t)1 << 25;
    float4 *a, *b;
    CHECK(cudaMalloc(&a, 3 * n * 16));
    CHECK(cudaMalloc(&b, 3 * n * 16));
    CHECK(cudaMemset(a, 0, 3 * n * 16));
    ways<0>("device memory by the share of writes", a, b, n, 1);
    ways<1>("device memory by the share of writes", a, b, n, 1);
    ways<2>("device memory by the share of writes", a, b, n, 1);
    ways<3>("device memory by the share of writes", a, b, n, 1);
    size_t small = (size_t)1 << 17;  // 2 MiB a stream
    ways<1>("L2 cache by the share of writes, 64 launches", a, b, small, 64);
    ways<0>("L2 cache by the share of writes, 64 launches", a, b, small, 64);
    for (size_t sectors = 1 << 16; sectors <= (size_t)1 << 25; sectors *= 8)
        for (unsigned words : {1u, 2u, 4u, 8u}) {
            char name[64];
            snprintf(name, sizeof name, "stores of %u words in a sector by sectors", words);
            double us = median([&] { scatter<<<(unsigned)((sectors + 255) / 256), 256>>>((float*)b, sectors, words); });
            tell(name, sectors, sectors / us / 1e3, "sectors a ns");
        }
    for (size_t mib : {4, 8, 16, 24, 32, 40, 48, 64, 96, 128}) {
        size_t items = mib << 16;
        double us = median([&] {
            for (int i = 0; i < 8; i++) stream<1, 0><<<part.multiProcessorCount * 8, 256>>>(a, b, items);
        });
        tell("repeated reads by MiB, 8 launches", mib, 8.0 * 16 * items / us / 1e3, "GB/s");
    }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

// --- loads in flight ---

// Warps that each send LOADS independent loads and wait for all of them before they send the next. The addresses of a
// round are those behind the round before, of all warps together, within `mask` + 1 items.
template <typename T, int LOADS>
__global__ void in_flight(const T* from, size_t first, size_t mask, int rounds, T* sink) {
    size_t step = (size_t)gridDim.x * blockDim.x, at = first + blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        T v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = __ldcg(from + ((at + k * step) & mask));
        unsigned seen = 0;
#pragma unroll
        for (int k = 0; k < LOADS; k++) seen |= *(const unsigned*)&v[k];
        at += LOADS * step + seen;  // All hold 0, which the compiler does not know.
    }
    if (at == 1) *sink = from[0];
}

template <typename T, int LOADS>
static void by_warps(const char* where, const T* from, size_t bytes) {
    char name[96];
    snprintf(name, sizeof name, "%s, %d loads of %d bytes in flight, by warps of an SM", where, LOADS, (int)sizeof(T));
    size_t items = bytes / sizeof(T), first = 0;
    for (int warps : {1, 2, 4, 8, 16, 32, 64}) {
        int blocks = part.multiProcessorCount * (warps > 32 ? warps / 32 : 1), threads = (warps > 32 ? 32 : warps) * 32;
        size_t round = (size_t)blocks * threads * LOADS;
        int rounds = (int)std::max<size_t>(64, std::min<size_t>(1024, items / round));
        double us = median([&] {
            in_flight<T, LOADS><<<blocks, threads>>>(from, first, items - 1, rounds, (T*)from);
            first += round * rounds;
        });
        tell(name, warps, (double)round * sizeof(T) * rounds / us / 1e3, "GB/s");
    }
}

static void of_flight() {
    char* from;
    CHECK(cudaMalloc(&from, (size_t)2 << 30));
    CHECK(cudaMemset(from, 0, (size_t)2 << 30));
    for (size_t mib : {2048, 16}) {
        const char* where = mib > 1000 ? "device memory" : "the L2 cache";
        by_warps<unsigned, 1>(where, (unsigned*)from, mib << 20);
        by_warps<unsigned, 4>(where, (unsigned*)from, mib << 20);
        by_warps<uint4, 1>(where, (uint4*)from, mib << 20);
        by_warps<uint4, 2>(where, (uint4*)from, mib << 20);
        by_warps<uint4, 4>(where, (uint4*)from, mib << 20);
        by_warps<uint4, 8>(where, (uint4*)from, mib << 20);
    }
    CHECK(cudaFree(from));
}

// --- stores of bytes ---

__global__ void bytes_from(unsigned char* to, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) to[i] = 1;
}

static void of_bytes() {
    unsigned char* to;
    CHECK(cudaMalloc(&to, ((size_t)1 << 24) + 32));
    for (size_t n = 1 << 19; n <= 1 << 24; n *= 32)
        for (int shift : {0, 1, 4, 15, 16}) {
            char name[64];
            snprintf(name, sizeof name, "stores of a byte a thread, %zu of them, by bytes off", n);
            double us = median([&] { bytes_from<<<(unsigned)(n / 256), 256>>>(to + shift, n); });
            tell(name, shift, us, "us");
        }
    CHECK(cudaFree(to));
}

// --- atomics ---

template <typename T, bool returns>
__global__ void adds(T* words, unsigned addresses, unsigned rounds, unsigned apart, T* sink) {
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    T sum = 0;
    for (unsigned r = 0; r < rounds; r++) {
        at = at * 1664525u + 1013904223u;
        T old = atomicAdd(words + (size_t)((at >> 8) % addresses) * apart, (T)1);
        if (returns) sum += old;
    }
    if (returns && sum == (T)12345) *sink = sum;
}

template <typename T, bool returns>
static void contention(const char* curve, T* words, T* sink, unsigned apart) {
    int blocks = part.multiProcessorCount * 8, rounds = 16;
    for (unsigned addresses = 1; addresses <= 1u << 20; addresses *= 4) {
        double us = median([&] { adds<T, returns><<<blocks, 256>>>(words, addresses, rounds, apart, sink); });
        tell(curve, addresses, 256.0 * blocks * rounds / us / 1e3, "a ns");
    }
}

// Each lane adds to `wide` words side by side, `apart` words from those of the next lane, in 4 MiB. Four floats at once
// need compute capability 9.0.
template <typename T, unsigned wide>
__global__ void adds_side_by_side(T* words, unsigned rounds, unsigned apart) {
    unsigned lanes = gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned r = 0; r < rounds; r++) {
        T* to = words + (size_t)(at + r * lanes) * apart % (1u << 20);
        if constexpr (wide == 1) atomicAdd(to, (T)1);
#if __CUDA_ARCH__ >= 900
        if constexpr (wide == 2) atomicAdd((float2*)to, make_float2(1, 1));
        if constexpr (wide == 4) atomicAdd((float4*)to, make_float4(1, 1, 1, 1));
#endif
    }
}

// Sectors a nanosecond, of which each is asked for once by a request.
template <typename T, unsigned wide>
static void of_sectors(const char* curve, T* words) {
    int blocks = part.multiProcessorCount * 8, rounds = 64;
    for (unsigned apart : {1, 2, 4, 8}) {
        if (apart < wide) continue;
        double us = median([&] { adds_side_by_side<T, wide><<<blocks, 256>>>(words, rounds, apart); });
        tell(curve, apart, 256.0 * blocks * rounds * apart / 8 / us / 1e3, "sectors a ns");
    }
}

__global__ void adds_shared(unsigned addresses, unsigned rounds, unsigned* sink) {
    __shared__ unsigned words[4096];
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
    words[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned r = 0; r < rounds; r++) {
        at = at * 1664525u + 1013904223u;
        atomicAdd(words + ((at >> 8) % addresses), 1);
    }
    __syncthreads();
    if (words[threadIdx.x] == 0xffffffff) *sink = 1;
}

static void of_atomics() {
    unsigned* words;
    CHECK(cudaMalloc(&words, (size_t)32 << 20));
    CHECK(cudaMemset(words, 0, (size_t)32 << 20));
    unsigned* sink = words + (7 << 20);
    contention<unsigned, false>("additions by random addresses side by side", words, sink, 1);
    contention<unsigned, false>("additions by random addresses in sectors of their own", words, sink, 8);
    contention<unsigned, true>("additions that return by random addresses side by side", words, sink, 1);
    contention<float, false>("additions of floats by random addresses side by side", (float*)words, (float*)sink, 1);
    of_sectors<unsigned, 1>("additions to a word of each so many", words);
    of_sectors<float, 1>("additions of floats to a word of each so many", (float*)words);
    if (part.major >= 9) {
        of_sectors<float, 2>("additions of two floats to each so many words", (float*)words);
        of_sectors<float, 4>("additions of four floats to each so many words", (float*)words);
    }
    int blocks = part.multiProcessorCount * 8, rounds = 256;
    for (unsigned addresses = 1; addresses <= 4096; addresses *= 2) {
        double us = median([&] { adds_shared<<<blocks, 256>>>(addresses, rounds, sink); });
        double clocks = us * 1e3 * ghz * part.multiProcessorCount;
        tell("shared additions by random addresses", addresses, 256.0 * blocks * rounds / clocks, "a clock and SM");
    }
    CHECK(cudaFree(words));
}

// --- one block waits for the one before ---

__global__ void pass_on(volatile unsigned* flags, unsigned round) {
    if (threadIdx.x != 0) return;
    unsigned at = blockIdx.x;
    if (at > 0)
        while (flags[at * 8 - 8] != round) {}
    __threadfence();
    flags[at * 8] = round;
}

static void of_flags() {
    unsigned *flags, round = 0;
    CHECK(cudaMalloc(&flags, 1 << 20));
    CHECK(cudaMemset(flags, 0, 1 << 20));
    for (int blocks : {2, 33, 132, 264, 1056})
        tell("a flag from block to block", blocks, median([&] { pass_on<<<blocks, 128>>>(flags, ++round); }), "us");
    CHECK(cudaFree(flags));
}

// --- pipes: instructions a clock and SM, and their latency ---

enum Op { FFMA, IADD, IMAD, LOP, SHIFT, POPC, CONVERT, SHUFFLE, BALLOT, BARRIER, MUFU, DFMA, TF32, F16, BF16, LDS };

template <Op op>
__device__ void step(float& x, unsigned& u, double& d, float (&c)[4], const unsigned* words) {
    if (op == FFMA) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
    if (op == IADD) asm volatile("add.u32 %0, %0, %1;" : "+r"(u) : "r"(threadIdx.x));
    if (op == IMAD) asm volatile("mad.lo.u32 %0, %0, %1, %0;" : "+r"(u) : "r"(threadIdx.x));
    if (op == LOP) asm volatile("xor.b32 %0, %0, %1;" : "+r"(u) : "r"(threadIdx.x));
    if (op == SHIFT) asm volatile("shf.l.wrap.b32 %0, %0, %1, %1;" : "+r"(u) : "r"(threadIdx.x));
    if (op == POPC) asm volatile("popc.b32 %0, %0;" : "+r"(u));
    if (op == CONVERT) asm volatile("{ .reg .f32 f; cvt.rn.f32.u32 f, %0; mov.b32 %0, f; }" : "+r"(u));
    if (op == SHUFFLE) u = __shfl_xor_sync(~0u, u, 1);
    if (op == BALLOT) u = __ballot_sync(~0u, u & 1);
    if (op == BARRIER) __syncthreads();
    if (op == MUFU) asm volatile("ex2.approx.f32 %0, %0;" : "+f"(x));
    if (op == DFMA) asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(d));
    if (op == LDS) u = words[u & 1023];
    if (op == TF32)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                     "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(threadIdx.x));
    if (op == F16)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(threadIdx.x));
    if (op == BF16)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(threadIdx.x));
}

// Each warp has CHAINS chains of dependent steps.
template <Op op, int CHAINS>
__global__ void pipe(long long* cycles, float* sink) {
    __shared__ unsigned words[1024];
    float x[CHAINS], c[CHAINS][4] = {};
    unsigned u[CHAINS];
    double d[CHAINS];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = (i + 33) % 1024;
    for (int k = 0; k < CHAINS; k++) x[k] = 0, u[k] = threadIdx.x, d[k] = 0;
    __syncthreads();
    long long start = clock64();
#pragma unroll 1
    for (int i = 0; i < 256; i++)
#pragma unroll
        for (int r = 0; r < 4; r++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++) step<op>(x[k], u[k], d[k], c[k], words);
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - start;
    float sum = 0;
    for (int k = 0; k < CHAINS; k++) sum += x[k] + u[k] + (float)d[k] + c[k][0] + c[k][1] + c[k][2] + c[k][3];
    sink[threadIdx.x] = sum;
}

template <Op op>
static void of_pipe(const char* name, long long* cycles, float* sink) {
    char curve[64];
    pipe<op, 1><<<1, 32>>>(cycles, sink);
    CHECK(cudaDeviceSynchronize());
    snprintf(curve, sizeof curve, "latency of %s", name);
    tell(curve, 32, *cycles / 1024.0, "clocks");
    snprintf(curve, sizeof curve, "%s by threads of one block", name);
    for (int threads : {128, 256, 512, 1024}) {
        pipe<op, 4><<<1, threads>>>(cycles, sink);
        CHECK(cudaDeviceSynchronize());
        tell(curve, threads, threads / 32 * 4096.0 / *cycles, "a clock and SM");
    }
}

static void of_pipes() {
    long long* cycles;
    float* sink;
    CHECK(cudaMallocHost(&cycles, 8));
    CHECK(cudaMalloc(&sink, 4096));
#define PIPE(op) of_pipe<op>(#op, cycles, sink)
    PIPE(FFMA), PIPE(IADD), PIPE(IMAD), PIPE(LOP), PIPE(SHIFT), PIPE(POPC), PIPE(CONVERT), PIPE(SHUFFLE), PIPE(BALLOT);
    PIPE(BARRIER), PIPE(MUFU), PIPE(DFMA), PIPE(TF32), PIPE(F16), PIPE(BF16), PIPE(LDS);
}

// --- the L1 cache, by the lines that a request touches ---

__global__ void gather(const unsigned* from, unsigned lines, unsigned* sink, long long* cycles) {
    unsigned lane = threadIdx.x % 32, at = lane % lines * 32 + lane / lines + threadIdx.x / 32 * 64, sum = 0;
    long long start = 0;
    for (int pass = 0; pass < 2; pass++) {  // The first fills the cache.
        start = clock64();
        for (int i = 0; i < 512; i++) sum += *(const volatile unsigned*)(from + ((at + i * 128) & 8191));
        __syncthreads();
    }
    if (threadIdx.x == 0) *cycles = clock64() - start;
    sink[threadIdx.x] = sum;
}

static void of_l1() {
    unsigned *from, *sink;
    long long* cycles;
    CHECK(cudaMalloc(&from, 1 << 16));
    CHECK(cudaMalloc(&sink, 4096));
    CHECK(cudaMallocHost(&cycles, 8));
    for (unsigned lines = 1; lines <= 32; lines *= 2) {
        gather<<<1, 1024>>>(from, lines, sink, cycles);
        CHECK(cudaDeviceSynchronize());
        tell("loads of a warp by lines", lines, 32 * 512.0 / *cycles, "a clock and SM");
    }
}

int main() {
    CHECK(cudaGetDeviceProperties(&part, 0));
    int khz;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    ghz = khz / 1e6;
    printf("curve,x,value,unit\n# %s at %.2f GHz\n", part.name, ghz);
    of_launches();
    of_memory();
    of_flight();
    of_bytes();
    of_atomics();
    of_flags();
    of_pipes();
    of_l1();
    return 0;
}
