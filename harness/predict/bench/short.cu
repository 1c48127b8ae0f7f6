// Measures what decides the time of kernels of a few microseconds, on the GPU at hand, as comma-separated lines: curve,
// x, value, unit.
//
//   nvcc -O2 -arch=native -o short short.cu && ./short > short.csv
//
// Whatever is timed is queued behind a busy device, so that events enclose what the device does. Values are medians of 41
// samples. "cold": before each sample, memory of twice the size of the L2 cache is filled, as the labs do for `cold` cases.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

static void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "error: line %d: %s\n", line, cudaGetErrorString(error));
    exit(4);
}
#define CHECK(call) check((call), __LINE__)

typedef std::function<void()> Act;

static cudaStream_t stream;
static cudaEvent_t begun, ended;
static unsigned char* pool;
static size_t pool_bytes;
static long long* cycles;
static unsigned* words;

__global__ void nothing() {}

__global__ void spin(long long clocks) {
    long long start = clock64();
    while (clock64() - start < clocks) {}
}

// The median time, in microseconds, of 41 samples of `run` behind a busy device.
static double median(const Act& run, bool cold = false) {
    std::vector<float> times;
    for (int i = 0; i < 43; i++) {
        if (cold) CHECK(cudaMemsetAsync(pool, 0, pool_bytes, stream));
        CHECK(cudaStreamSynchronize(stream));
        spin<<<1, 1, 0, stream>>>(150000);
        CHECK(cudaEventRecord(begun, stream));
        run();
        CHECK(cudaEventRecord(ended, stream));
        CHECK(cudaStreamSynchronize(stream));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begun, ended));
        if (i > 1) times.push_back(ms * 1e3f);
    }
    CHECK(cudaGetLastError());
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

static void tell(const char* curve, double x, double value, const char* unit = "us") {
    printf("%s,%g,%.5g,%s\n", curve, x, value, unit);
    fflush(stdout);
}

// --- the end of a kernel, and the next ---

static void ends() {
    for (int clocks = 0; clocks <= 3000; clocks += 100)
        tell("a kernel that takes clocks", clocks, median([=] { spin<<<1, 32, 0, stream>>>(clocks); }));
    for (int clocks : {0, 1000, 2000, 4000, 8000}) {
        auto many = [=](int n) { return [=] { for (int i = 0; i < n; i++) spin<<<132, 256, 0, stream>>>(clocks); }; };
        for (int n : {1, 2, 3, 5}) {
            char name[80];
            snprintf(name, sizeof name, "%d kernels one after another that take clocks", n);
            tell(name, clocks, median(many(n)));
        }
        tell("a fill and a kernel that takes clocks", clocks, median([=] {
            CHECK(cudaMemsetAsync(words, 0, 4, stream));
            spin<<<132, 256, 0, stream>>>(clocks);
        }));
    }
}

// A fill of this number of bytes, and a kernel behind it.
static void fills() {
    for (int bytes : {4, 8, 16, 32, 56, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536}) {
        auto fill = [=] { CHECK(cudaMemsetAsync(words, 0, bytes, stream)); };
        tell("a fill by bytes", bytes, median(fill));
        tell("a fill and 132 blocks of 700 clocks by bytes", bytes, median([=] { fill(), spin<<<132, 256, 0, stream>>>(700); }));
    }
    tell("nothing", 0, median([] {}));
}

// --- starting blocks ---

extern __shared__ unsigned shared[];
__global__ void with_shared(unsigned* out) {
    if (out) out[0] = shared[threadIdx.x];
}

static void starts() {
    char name[80];
    for (int threads : {32, 128, 256, 512, 1024})
        for (int blocks : {1, 33, 132, 264, 528, 1056, 2112, 4224}) {
            snprintf(name, sizeof name, "an empty kernel by blocks of %d threads", threads);
            tell(name, blocks, median([=] { nothing<<<blocks, threads, 0, stream>>>(); }));
        }
    // 700 cycles, about a load: do later blocks begin meanwhile?
    for (int blocks : {1, 132, 264, 528, 1056, 2112, 4224})
        tell("a kernel of 700 clocks by blocks of 256 threads", blocks, median([=] { spin<<<blocks, 256, 0, stream>>>(700); }));
    CHECK(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    for (int kib : {0, 1, 16, 48, 100, 200, 227})
        tell("132 blocks by KiB of shared memory", kib, median([=] { with_shared<<<132, 256, kib << 10, stream>>>(nullptr); }));
}

// --- fences ---

enum Kind { STORE, FENCE, TICKET };
template <Kind kind>
__global__ void stores(unsigned* out, int rounds, long long* took) {
    unsigned* at = out + (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    long long start = clock64();
    for (int i = 0; i < rounds; i++) {
        at[0] = i;
        if (kind != STORE) __threadfence();
        if (kind == TICKET && threadIdx.x == 0 && atomicAdd(out + (1 << 23), 1) == 0x7fffffff) at[1] = 0;
    }
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - start;
}

template <Kind kind>
static void fence(const char* name) {
    for (auto shape : {std::pair<int, int>{1, 32}, {1, 256}, {132, 32}, {132, 256}, {1056, 256}}) {
        auto run = [=](int rounds) { return [=] { stores<kind><<<shape.first, shape.second, 0, stream>>>(words, rounds, cycles); }; };
        double one = median(run(1)), more = median(run(11));
        char text[120];
        snprintf(text, sizeof text, "%s, blocks of %d threads by blocks", name, shape.second);
        tell(text, shape.first, (more - one) / 10);
        long long first;
        median(run(1));
        CHECK(cudaMemcpy(&first, cycles, 8, cudaMemcpyDeviceToHost));
        snprintf(text, sizeof text, "%s, the first one, blocks of %d threads by blocks", name, shape.second);
        tell(text, shape.first, (double)first, "cycles");
    }
}

// --- atomics on shared memory ---

// Each lane adds to a word of its own bank, whose rows are chosen by `rows` threads at a time: as a histogram with a copy
// for each lane does. `by` is an argument, or a constant 1, for which there is an instruction that counts lanes.
template <bool ONE>
__global__ void counts(unsigned by, int rounds, long long* took, unsigned* out) {
    __shared__ unsigned mine[32 * 32];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    unsigned row = threadIdx.x / 32 % 32;
    long long start = clock64();
#pragma unroll 4
    for (int i = 0; i < rounds; i++) {
        atomicAdd(&mine[row * 32 + threadIdx.x % 32], ONE ? 1u : by);
        row = (row + 7) % 32;
    }
    __syncthreads();
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - start;
    out[threadIdx.x] = mine[threadIdx.x % 1024];
}

static void atomics() {
    char text[120];
    for (int one = 0; one < 2; one++)
        for (int threads : {32, 128, 256, 512, 1024}) {
            auto run = [=] {
                if (one) counts<true><<<1, threads, 0, stream>>>(1, 64, cycles, words);
                else counts<false><<<1, threads, 0, stream>>>(1, 64, cycles, words);
            };
            median(run);
            long long first;
            CHECK(cudaMemcpy(&first, cycles, 8, cudaMemcpyDeviceToHost));
            snprintf(text, sizeof text, "shared additions of %s without conflicts, requests by threads", one ? "1" : "an argument");
            tell(text, threads, (double)first / (64 * (threads / 32)), "cycles a request");
        }
}

// --- instructions that are fetched for the first time ---

// LENGTH multiply-adds in a row, four independent chains.
template <int LENGTH>
__global__ void straight(float by, float* out, long long* took) {
    float x[4] = {by, by + 1, by + 2, by + 3};
    long long start = clock64();
#pragma unroll
    for (int i = 0; i < LENGTH; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 4]) : "f"(by));
    long long end = clock64();
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
    if (threadIdx.x == 0) took[blockIdx.x] = end - start;
}

template <int LENGTH>
static void code() {
    for (auto shape : {std::pair<int, int>{1, 32}, {132, 32}, {132, 256}}) {
        auto run = [=] { straight<LENGTH><<<shape.first, shape.second, 0, stream>>>(1.5f, (float*)words, cycles); };
        for (int how = 0; how < 3; how++) {
            const char* names[] = {"behind another kernel", "cold", "behind itself"};
            double us = how < 2 ? median(run, how == 1) : median([=] { run(), run(); });
            long long first;
            CHECK(cudaMemcpy(&first, cycles, 8, cudaMemcpyDeviceToHost));
            char text[120];
            snprintf(text, sizeof text, "straight code %s, %d x %d threads, by instructions", names[how], shape.first, shape.second);
            tell(text, LENGTH, us);
            tell(text, LENGTH, (double)first, "cycles");
        }
    }
}

// --- loads without locality ---

// STEPS loads, each for the address of the next, a page of `stride` words apart; block by block elsewhere or all at one place.
__global__ void chase(unsigned* from, int steps, unsigned stride, unsigned apart, long long* took) {
    unsigned at = blockIdx.x * apart + threadIdx.x;
    long long start = clock64();
    for (int i = 0; i < steps; i++) at = at + stride + __ldcg(from + at);
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - start + (at == 12345);
}

static void loads() {
    char text[120];
    CHECK(cudaMemset(words, 0, (size_t)64 << 20));
    for (int blocks : {1, 132})
        for (unsigned stride : {64u, 16384u})
            for (int cold = 0; cold < 2; cold++)
                for (int steps : {1, 2, 4, 8, 16, 32}) {
                    auto run = [=] { chase<<<blocks, 32, 0, stream>>>(words, steps, stride, 65536u, cycles); };
                    double us = median(run, cold);
                    long long first;
                    CHECK(cudaMemcpy(&first, cycles, 8, cudaMemcpyDeviceToHost));
                    snprintf(text, sizeof text, "%s loads one after another, %d blocks, %u bytes apart, by loads",
                             cold ? "cold" : "warm", blocks, stride * 4);
                    tell(text, steps, us);
                    tell(text, steps, (double)first, "cycles");
                }
}

int main() {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begun));
    CHECK(cudaEventCreate(&ended));
    cudaDeviceProp part;
    CHECK(cudaGetDeviceProperties(&part, 0));
    printf("curve,x,value,unit\n# %s\n", part.name);
    pool_bytes = 2 * (size_t)part.l2CacheSize;
    CHECK(cudaMalloc(&pool, pool_bytes));
    CHECK(cudaMalloc(&cycles, 8 << 13));
    CHECK(cudaMalloc(&words, (size_t)64 << 20));
    CHECK(cudaMemset(words, 0, (size_t)64 << 20));
    fills();
    atomics();
    ends();
    starts();
    fence<STORE>("a store");
    fence<FENCE>("a store and a fence");
    fence<TICKET>("a store, a fence and a ticket");
    loads();
    code<64>();
    code<256>();
    code<512>();
    code<1024>();
    code<2048>();
    code<4096>();
    code<8192>();
    return 0;
}
