// Measures the constants of the model on the GPU at hand, and prints them as a file of constants (see ../constants).
//
//   nvcc -O2 -arch=native -o constants constants.cu && ./constants > constants.toml
//
// A latency is that of a chain of dependent steps of one warp, by the SM's clock; a rate is the best of five runs, by
// CUDA events. A constant that cannot be measured alone, because it is a property of many kernels, keeps its current value.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

static void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "error: line %d: %s\n", line, cudaGetErrorString(error));
    exit(4);
}
#define CHECK(call) check((call), __LINE__)

constexpr int STEPS = 4096;

// One thread follows a chain of indices. The first round fills the caches.
__global__ void chase(const unsigned* next, unsigned before, unsigned steps, long long* cycles, unsigned* end) {
    unsigned at = 0;
    for (unsigned i = 0; i < before; i++) at = next[at];
    long long start = clock64();
    for (unsigned i = 0; i < steps; i++) at = next[at];
    *cycles = clock64() - start;
    *end = at;
}

__global__ void chase_shared(long long* cycles, unsigned* end) {
    __shared__ unsigned next[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = (i + 33) % 1024;
    __syncthreads();
    unsigned at = threadIdx.x;
    long long start = clock64();
    for (int i = 0; i < STEPS; i++) at = next[at];
    *cycles = clock64() - start;
    end[threadIdx.x] = at;
}

enum Step { FMA, DFMA, EX2, SHUFFLE, BARRIER, BRANCH, ATOMIC };

template <Step step>
__global__ void chain(float by, unsigned* words, long long* cycles, float* end) {
    float x = by + threadIdx.x;
    double d = x;
    unsigned at = 0;
    long long start = clock64();
#pragma unroll 1
    for (int i = 0; i < STEPS / 16; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            if (step == FMA) x = fmaf(x, by, by);
            if (step == DFMA) d = fma(d, (double)by, (double)by);
            if (step == EX2) asm volatile("ex2.approx.f32 %0, %0;" : "+f"(x));
            if (step == SHUFFLE) x = __shfl_xor_sync(~0u, x, 1);
            if (step == BARRIER) __syncthreads();
            if (step == BRANCH)
                asm volatile("{ .reg .pred p; setp.gt.f32 p, %0, 0f7F000000; @p bra L; add.f32 %0, %0, %1; L: }"
                             : "+f"(x) : "f"(by));
            if (step == ATOMIC) at = atomicAdd(words + (at & 1), 2);
        }
    }
    *cycles = clock64() - start;
    end[threadIdx.x] = x + (float)d + at;
}

template <typename T>
__global__ void add_to(T* words, unsigned addresses, unsigned rounds, T by) {
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) % addresses;
    for (unsigned r = 0; r < rounds; r++) {
        atomicAdd(words + at, by);
        at = at + 1 < addresses ? at + 1 : 0;
    }
}

// The same, whole sectors at a time: a warp's lanes add to 32 words side by side, from a multiple of 32 on.
template <typename T>
__global__ void add_side_by_side(T* words, unsigned addresses, unsigned rounds) {
    unsigned threads = gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned r = 0; r < rounds; r++) atomicAdd(words + (at + r * threads) % addresses, (T)1);
}

__global__ void nothing() {}

__global__ void read(const float4* from, size_t n, float* to) {
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x) {
        float4 v = from[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 1.2345f) *to = sum;
}

__global__ void write(float4* to, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        to[i] = make_float4(1, 2, 3, 4);
}

__global__ void copy(const float4* from, float4* to, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        to[i] = from[i];
}

// The best time of five runs, in milliseconds, after one that does not count.
template <typename F>
static double best(F run) {
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    float least = 1e30f;
    for (int i = 0; i < 6; i++) {
        CHECK(cudaEventRecord(start));
        run();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, end));
        if (i > 0 && ms < least) least = ms;
    }
    CHECK(cudaGetLastError());
    return least;
}

static void tell(const char* name, double value, const char* source) {
    printf("\n[constants.%s]\nvalue = %.5g\nsource = \"%s\"\n", name, value, source);
}

#define BY "measured by bench/constants.cu: "

// Cycles of a step of a chain through `bytes` of memory, each step at another multiple of `stride`.
static double latency(size_t bytes, size_t stride) {
    size_t lines = bytes / stride, hop = lines * 5 / 8 + 1;  // Odd where the number of lines is a power of two.
    std::vector<unsigned> next(bytes / 4);
    for (size_t i = 0; i < lines; i++) next[i * (stride / 4)] = (unsigned)((i + hop) % lines * (stride / 4));
    unsigned *words, *end;
    long long* cycles;
    CHECK(cudaMalloc(&words, bytes));
    CHECK(cudaMallocManaged(&cycles, 8));
    CHECK(cudaMalloc(&end, 4));
    CHECK(cudaMemcpy(words, next.data(), bytes, cudaMemcpyHostToDevice));
    unsigned before = lines < 1 << 17 ? (unsigned)lines : 64;
    chase<<<1, 1>>>(words, before, STEPS, cycles, end);
    CHECK(cudaDeviceSynchronize());
    double result = (double)*cycles / STEPS;
    CHECK(cudaFree(words));
    return result;
}

template <Step step>
static double latency() {
    unsigned* words;
    long long* cycles;
    float* end;
    CHECK(cudaMalloc(&words, 64));
    CHECK(cudaMemset(words, 0, 64));
    CHECK(cudaMallocManaged(&cycles, 8));
    CHECK(cudaMalloc(&end, 1024 * sizeof(float)));
    chain<step><<<1, step == ATOMIC ? 1 : 32>>>(0.5f, words, cycles, end);
    CHECK(cudaDeviceSynchronize());
    return (double)*cycles / STEPS;
}

// The SM's clock.
static double khz() {
    int khz;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    return khz;
}

static double rate(double bytes, double ms) { return bytes / ms / 1e6; }

static void of_memory(const cudaDeviceProp& part) {
    size_t bytes = (size_t)1 << 31, n = bytes / 16, inside = (size_t)part.l2CacheSize / 4 / 16;
    float4 *a, *b;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMemset(a, 0, bytes));
    int blocks = part.multiProcessorCount * 8;
    double reads = rate(bytes, best([&] { read<<<blocks, 256>>>(a, n, (float*)b); }));
    double writes = rate(bytes, best([&] { write<<<blocks, 256>>>(b, n); }));
    double copies = rate(2.0 * bytes, best([&] { copy<<<blocks, 256>>>(a, b, n); }));
    double l2 = rate(16.0 * inside * 32, best([&] {
        for (int i = 0; i < 32; i++) read<<<blocks, 256>>>(a, inside, (float*)b);
    }));
    tell("l2_gb_per_s", l2, BY "32 reads of a quarter of the L2 cache, with their launches");
    tell("dram_read_gb_per_s", reads, BY "reads of 2 GiB");
    tell("dram_write_gb_per_s", writes, BY "writes of 2 GiB");
    double turn = (2.0 / (1.0 / reads + 1.0 / writes) / copies - 1.0) * 100.0;
    tell("dram_turn_percent", turn > 0.1 ? turn : 0.1, BY "a copy of 2 GiB, against reads and writes alone");
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

static void of_atomics(const cudaDeviceProp& part) {
    unsigned* words;
    CHECK(cudaMalloc(&words, 4 << 20));
    CHECK(cudaMemset(words, 0, 4 << 20));
    int blocks = part.multiProcessorCount * 8, rounds = 64;
    double adds = 256.0 * blocks * rounds;
    auto ns = [&](double ms) { return ms * 1e6 / adds; };
    tell("atomic_step_ns", ns(best([&] { add_to<unsigned><<<blocks, 256>>>(words, 1, rounds, 1); })),
         BY "additions to 1 word");
    tell("atomic_float_step_ns", ns(best([&] { add_to<float><<<blocks, 256>>>((float*)words, 1, rounds, 1); })),
         BY "additions of floats to 1 word");
    double many = best([&] { add_side_by_side<float><<<blocks, 256>>>((float*)words, 1 << 20, rounds); });
    tell("atomic_steps_per_ns", adds / 8 / (many * 1e6), BY "additions of floats to 2^20 words side by side, in sectors of 8");
    CHECK(cudaFree(words));
}

// Keeps the device busy for this number of clocks.
__global__ void spin(long long clocks) {
    long long start = clock64();
    while (clock64() - start < clocks) {}
}

// The median time of `run`, in microseconds, from the first event to the last on a device that has been busy until all of
// it was queued, as the labs are timed.
template <typename F>
static double queued(F run) {
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < 41; i++) {
        spin<<<1, 1>>>(1000000);
        CHECK(cudaEventRecord(start));
        run();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, end));
        times.push_back(ms * 1e3f);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

static void of_launches(int sms) {
    int many = 1 << 20;
    double alone = best([] { nothing<<<1, 32>>>(); });
    double blocks = best([&] { nothing<<<many, 32>>>(); });
    auto kernels = [=](int count) {
        return queued([=] {
            for (int i = 0; i < count; i++) nothing<<<sms, 256>>>();
        });
    };
    double one = kernels(1), turn = (kernels(21) - one) / 20;
    unsigned* word;
    CHECK(cudaMalloc(&word, 4096));
    double filled = queued([=] { CHECK(cudaMemsetAsync(word, 0, 4096)), nothing<<<sms, 256>>>(); });
    tell("fill_us", filled - one, BY "a fill and an empty kernel behind a busy device, less such a kernel alone");
    tell("block_ns", (blocks - alone) * 1e6 / many, BY "2^20 empty blocks");
    tell("launch_us", one, BY "an empty kernel behind a busy device");
    tell("next_launch_us", turn, BY "21 empty kernels behind a busy device: the host is ahead");
    tell("launch_turn_us", turn, BY "21 empty kernels behind a busy device");
    tell("block_start_cycles", 358, "from the H200's constants: bench/curves.cu measures it, by blocks of 1024 threads");
}

static void of_the_link() {
    size_t bytes = (size_t)256 << 20;
    void *pinned, *back, *device, *other, *pageable = malloc(bytes);
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaMallocHost(&back, bytes));
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMalloc(&other, bytes));
    memset(pageable, 1, bytes);
    auto timed = [&](void* to, const void* from, cudaMemcpyKind kind) {
        return rate(bytes, best([&] { CHECK(cudaMemcpy(to, from, bytes, kind)); }));
    };
    tell("copy_us", 1e3 * best([&] { CHECK(cudaMemcpy(device, pinned, 4, cudaMemcpyHostToDevice)); }),
         BY "copies of 4 bytes");
    double there = timed(device, pinned, cudaMemcpyHostToDevice);
    tell("pinned_h2d_gb_per_s", there, BY "256 MiB");
    tell("pinned_d2h_gb_per_s", timed(pinned, device, cudaMemcpyDeviceToHost), BY "256 MiB");
    tell("pageable_h2d_gb_per_s", timed(device, pageable, cudaMemcpyHostToDevice), BY "256 MiB");
    tell("pageable_d2h_gb_per_s", timed(pageable, device, cudaMemcpyDeviceToHost), BY "256 MiB");
    cudaStream_t to, from;
    CHECK(cudaStreamCreate(&to));
    CHECK(cudaStreamCreate(&from));
    double both = rate(2.0 * bytes, best([&] {
        CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, to));
        CHECK(cudaMemcpyAsync(back, other, bytes, cudaMemcpyDeviceToHost, from));
        CHECK(cudaDeviceSynchronize());
    }));
    tell("both_ways_percent", 100.0 * both / (2.0 * there), BY "256 MiB each way at once");
    float* managed;
    CHECK(cudaMallocManaged(&managed, bytes));
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    float least = 1e30f, ms;
    for (int i = 0; i < 3; i++) {
        for (size_t k = 0; k < bytes / 4; k++) managed[k] = 1;
        CHECK(cudaEventRecord(start));
        read<<<1024, 256>>>((float4*)managed, bytes / 16, (float*)device);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, start, end));
        if (ms < least) least = ms;
    }
    tell("managed_h2d_gb_per_s", rate(bytes, least), BY "a kernel that reads 256 MiB which the host wrote");
    tell("managed_d2h_gb_per_s", 7.3, "from the H200's constants: it depends on the host as well");
}

static void figure(const char* name, long long value) {
    printf("%s = { value = %lld, source = \"from the driver\" }\n", name, value);
}

static void yes_or_no(const char* name, bool value) {
    printf("%s = { value = %s, source = \"from the driver\" }\n", name, value ? "true" : "false");
}

// The figures of the part's file.
static void of_the_driver(const cudaDeviceProp& part) {
    int memory_khz;
    CHECK(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    printf("# Printed by bench/constants.cu.\nname = \"%s\"\nfull_name = \"%s\"\n", part.name, part.name);
    printf("compute_capability = [%d, %d]\n\n[figures]\n", part.major, part.minor);
    figure("sms", part.multiProcessorCount);
    figure("total_memory", part.totalGlobalMem);
    figure("l2_bytes", part.l2CacheSize);
    figure("l2_persisting_bytes", part.persistingL2CacheMaxSize);
    figure("clock_khz", khz());
    figure("mem_clock_khz", memory_khz);
    figure("bus_bits", part.memoryBusWidth);
    figure("copy_engines", part.asyncEngineCount);
    yes_or_no("ecc", part.ECCEnabled);
    yes_or_no("integrated", part.integrated);
}

int main() {
    cudaDeviceProp part;
    CHECK(cudaGetDeviceProperties(&part, 0));
    of_the_driver(part);
    const std::pair<const char*, double> sheet[] = {
        {"l1_bytes", 262144},      {"issue_per_clock", 4},         {"single_per_clock", 4},
        {"integer_per_clock", 2},  {"double_per_clock", 2},        {"special_per_clock", 0.5},
        {"tensor_per_clock", 0.63}, {"warpgroup_per_clock", 1},     {"exchange_per_clock", 1},
        {"shared_passes_per_clock", 1},
        {"tensor_cycles", 26.8},     {"l1_bytes_per_clock", 128},    {"l1_fill_bytes_per_clock", 64},
    };
    for (auto [name, value] : sheet) tell(name, value, "from the data sheet of compute capability 9.0");
    // Other benches of this folder measure most of these; Nsight Compute counts `integer_percent`.
    const std::pair<const char*, double> fitted[] = {
        {"sharpness", 3},           {"profiler_us", 0.6},
        {"atomic_trip_cycles", 515}, {"shared_atomic_steps_per_clock", 1},
        {"barrier_warp_cycles", 1.9}, {"partial_stores_per_ns", 65.2}, {"flag_ns", 380},
        {"integer_percent", 73},     {"overlap_warps", 4},       {"barrier_sm_cycles", 1.5},
        {"store_request_cycles", 2}, {"store_sector_cycles", 0.86}, {"apart_sector_cycles", 1.25},
        {"fence_cycles", 737},       {"first_access_cycles", 222},   {"one_round_percent", 25},
        {"managed_us", 212},         {"prefetch_us", 390},           {"prefetch_h2d_gb_per_s", 49.2},
        {"prefetch_d2h_gb_per_s", 10.1},
    };
    for (auto [name, value] : fitted) tell(name, value, "from the H200's constants");
    tell("arithmetic_cycles", latency<FMA>(), BY "dependent fused multiply-adds");
    tell("double_cycles", latency<DFMA>(), BY "the same in double precision");
    tell("special_cycles", latency<EX2>(), BY "dependent powers of two");
    tell("exchange_cycles", latency<SHUFFLE>(), BY "dependent shuffles");
    tell("barrier_cycles", latency<BARRIER>(), BY "barriers of one warp");
    tell("branch_cycles", latency<BRANCH>(), BY "branches that are not taken, with a comparison and a sum");
    tell("atomic_cycles", latency<ATOMIC>(), BY "additions whose old value is the next address");
    long long* cycles;
    unsigned* end;
    CHECK(cudaMallocManaged(&cycles, 8));
    CHECK(cudaMalloc(&end, 128));
    chase_shared<<<1, 32>>>(cycles, end);
    CHECK(cudaDeviceSynchronize());
    tell("shared_cycles", (double)*cycles / STEPS, BY "a chain of indices");
    tell("l1_cycles", latency(64 << 10, 128), BY "a chain of indices through 64 KiB");
    tell("l2_cycles", latency(8 << 20, 128), BY "a chain of indices through 8 MiB");
    tell("dram_cycles", latency((size_t)1 << 30, 4096), BY "a chain of indices through 1 GiB");
    of_memory(part);
    of_atomics(part);
    of_launches(part.multiProcessorCount);
    of_the_link();
    return 0;
}
