// Measures what the size of blocks, spread accesses, looks at other blocks and copies in bulk cost, on the GPU at hand, as
// comma-separated lines: curve, x, value, unit.
//
//   nvcc -O2 -arch=native -o spread spread.cu && ./spread > spread.csv
//
// Times of events are of kernels that are queued behind a busy device: the mean of the middle half of 81 samples, because
// events record an end in steps. Cycles are read on the SM. Bulk copies need compute capability 9.0.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

static void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "error: line %d: %s\n", line, cudaGetErrorString(error));
    exit(4);
}
#define CHECK(call) check((call), __LINE__)

typedef std::function<void()> Act;
typedef long long Clock;

static cudaStream_t stream;
static cudaEvent_t begun, ended;
static unsigned* words; // 128 MiB
static Clock* took;
static int sms;
static char name[160];

__global__ void nothing() {}

__global__ void spin(Clock clocks) {
    Clock start = clock64();
    while (clock64() - start < clocks) {}
}

// The time, in microseconds, of `run` behind a busy device.
static double timed(const Act& run) {
    std::vector<float> times;
    for (int i = 0; i < 83; i++) {
        CHECK(cudaStreamSynchronize(stream));
        spin<<<1, 1, 0, stream>>>(120000 + 37 * (i % 12));
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
    double sum = 0;
    size_t quarter = times.size() / 4;
    for (size_t i = quarter; i < times.size() - quarter; i++) sum += times[i];
    return sum / (times.size() - 2 * quarter);
}

static void tell(double x, double value, const char* unit = "us") {
    printf("%s,%g,%.5g,%s\n", name, x, value, unit);
    fflush(stdout);
}

// What `count` blocks have left in `took`, once the stream is done.
static std::vector<Clock> told(size_t count) {
    std::vector<Clock> all(count);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(all.data(), took, 8 * count, cudaMemcpyDeviceToHost));
    return all;
}

static double middle(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// --- the ends of kernels of many blocks ---

static void ends() {
    for (int blocks : {1, 132, 1056})
        for (int clocks = 600; clocks <= 2000; clocks += 50) {
            snprintf(name, sizeof name, "a kernel of %d blocks that take clocks", blocks);
            tell(clocks, timed([=] { spin<<<blocks, 256, 0, stream>>>(clocks); }));
        }
}

// --- starting blocks ---

static void starts() {
    for (int clocks : {0, 700, 2000})
        for (int threads : {32, 64, 128, 256, 512, 768, 1024})
            for (int blocks : {1, 33, 66, 132, 264, 528, 1056, 2112, 4224, 8448}) {
                snprintf(name, sizeof name, "blocks of %d threads that take %d clocks", threads, clocks);
                if (clocks == 0) tell(blocks, timed([=] { nothing<<<blocks, threads, 0, stream>>>(); }));
                else tell(blocks, timed([=] { spin<<<blocks, threads, 0, stream>>>(clocks); }));
            }
}

// For each block: its SM, the clock at its first and at its last warp's start, and at its end; and the global timer.
__global__ void stamps(Clock clocks, Clock* took) {
    __shared__ unsigned long long first, last;
    unsigned sm;
    unsigned long long global;
    Clock start = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(global));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) first = ~0ull, last = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicMin(&first, (unsigned long long)start), atomicMax(&last, (unsigned long long)start);
    while (clock64() - start < clocks) {}
    __syncthreads();
    if (threadIdx.x == 0) {
        Clock* mine = took + 5 * blockIdx.x;
        mine[0] = sm, mine[1] = first, mine[2] = last, mine[3] = clock64(), mine[4] = global;
    }
}

static void places() {
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        int fit;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, stamps, threads, 0));
        for (int each : {1, 2, 4, 8, 16, 32, 3 * fit}) {
            if (each > fit && each != 3 * fit) continue;
            int blocks = sms * each;
            Clock clocks = each == 3 * fit ? 6000 : 40000;
            for (int i = 0; i < 3; i++) stamps<<<blocks, threads, 0, stream>>>(clocks, took);
            std::vector<Clock> all = told(5 * (size_t)blocks);
            std::vector<std::vector<std::vector<Clock>>> of(sms);
            Clock from = all[4], to = all[4];
            std::vector<double> within, apart, turns;
            for (int b = 0; b < blocks; b++) {
                std::vector<Clock> one(all.begin() + 5 * b, all.begin() + 5 * b + 5);
                of[one[0]].push_back(one);
                within.push_back(one[2] - one[1]);
                from = std::min(from, one[4]), to = std::max(to, one[4]);
            }
            for (auto& sm : of) {
                std::vector<Clock> began, done;
                for (auto& one : sm) began.push_back(one[1]), done.push_back(one[3]);
                std::sort(began.begin(), began.end());
                std::sort(done.begin(), done.end());
                for (size_t i = 1; i < began.size() && (int)i < fit; i++) apart.push_back(began[i] - began[i - 1]);
                for (size_t i = fit; i < began.size(); i++) turns.push_back(began[i] - done[i - fit]);
            }
            const char* unit = "cycles";
            auto line = [&](const char* what, double value) {
                snprintf(name, sizeof name, "%s by blocks of %d threads an SM", what, threads);
                tell(each, value, unit);
            };
            line("from the first to the last warp of a block", middle(within));
            if (!apart.empty()) line("from block to block of an SM", middle(apart));
            if (!turns.empty()) line("from the end of a block to the next one's start", middle(turns));
            unit = "ns";
            line("from the first to the last block of the device", (double)(to - from));
        }
    }
}

// --- requests by their sectors ---

enum Kind { CACHED, LOAD, STORE, PAIR, WIDE, RED, ATOM };
static const char* kinds[] = {"cached loads", "loads", "stores", "stores of 8 bytes", "stores of 16 bytes", "reductions", "atomics"};

// Each warp makes 4 * `rounds` requests, in which `active` lanes ask for a word each, `stride` words apart. `step` is 0, which
// the compiler does not know: else it would make one request of several.
template <Kind kind>
__global__ void requests(unsigned* at, int rounds, int active, int stride, int step, Clock* took) {
    unsigned lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    at += warp * 1024 + lane * stride;
    unsigned sum = 0;
    __syncthreads();
    Clock start = clock64();
    if (lane < active)
        for (int i = 0; i < rounds; i++) {
            unsigned v[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (kind == CACHED) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[j]) : "l"(at) : "memory");
                if (kind == LOAD) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[j]) : "l"(at) : "memory");
                if (kind == STORE) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
                if (kind == PAIR) asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(at), "r"(i) : "memory");
                if (kind == WIDE) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(i) : "memory");
                if (kind == RED) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
                if (kind == ATOM) asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v[j]) : "l"(at), "r"(i) : "memory");
                at += step;
            }
            if (kind == CACHED || kind == LOAD || kind == ATOM) sum += v[0] + v[1] + v[2] + v[3];
        }
    if (sum == 12345) at[0] = sum;
    __syncthreads();
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - start;
}

template <Kind kind>
static void sectors() {
    for (int blocks : {1, sms})
        for (int warps : {1, 32})
            for (int stride : {0, 1, 2, 4, 8, 32})
                for (int active : {1, 2, 4, 8, 16, 32}) {
                    bool apart = (kind == PAIR ? stride % 2 == 0 : kind == WIDE ? stride % 4 == 0 : true);
                    if (!apart || (active < 32 && stride != 8 && stride != 32)) continue;
                    auto run = [=](int rounds) {
                        for (int i = 0; i < 2; i++)
                            requests<kind><<<blocks, 32 * warps, 0, stream>>>(words, rounds, active, stride, 0, took);
                        auto all = told(blocks);
                        return middle({all.begin(), all.end()});
                    };
                    snprintf(name, sizeof name, "%s of %d warps on %d SMs, words %d apart, by lanes", kinds[kind], warps, blocks, stride);
                    tell(active, (run(96) - run(32)) / (256.0 * warps), "cycles a request");
                }
}

// --- streams through the L2 cache ---

// Each thread reads `loads` times 16 bytes of `bytes` in turn and stores `stores` of them, or words that it has not read.
template <int loads, int stores>
__global__ void flow(const uint4* from, uint4* to, size_t vectors) {
    size_t all = (size_t)gridDim.x * blockDim.x;
#pragma unroll 2
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += all) {
        uint4 v = {(unsigned)i, 2, 3, 4};
        if (loads > 0) v = from[i];
        if (loads > 1) {
            uint4 w = from[i + vectors];
            v.x += w.x, v.y += w.y, v.z += w.z, v.w += w.w;
        }
        if (stores || v.x == 0xdeadbeef) to[i] = v;
    }
}

static void streams() {
    for (int blocks : {528, 1056})
        for (int mib : {0, 1, 2, 4, 6, 8, 12, 16}) {
            size_t vectors = (size_t)mib << 16;
            const uint4* from = (const uint4*)words;
            uint4* to = (uint4*)words + ((size_t)32 << 16);
            snprintf(name, sizeof name, "reads by MiB, %d blocks", blocks);
            tell(mib, timed([=] { flow<1, 0><<<blocks, 256, 0, stream>>>(from, to, vectors); }));
            snprintf(name, sizeof name, "stores by MiB, %d blocks", blocks);
            tell(mib, timed([=] { flow<0, 1><<<blocks, 256, 0, stream>>>(from, to, vectors); }));
            snprintf(name, sizeof name, "copies by MiB stored, %d blocks", blocks);
            tell(mib, timed([=] { flow<1, 1><<<blocks, 256, 0, stream>>>(from, to, vectors); }));
            snprintf(name, sizeof name, "sums of two by MiB stored, %d blocks", blocks);
            tell(mib, timed([=] { flow<2, 1><<<blocks, 256, 0, stream>>>(from, to, vectors); }));
        }
}

// --- barriers of several blocks of an SM ---

// How many cycles a barrier takes, and one of a tree of sums in shared memory.
template <bool TREE>
__global__ void barriers(int rounds, unsigned* out, Clock* took) {
    __shared__ unsigned s[1024];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    Clock start = clock64();
    for (int i = 0; i < rounds; i++) {
        if (TREE && threadIdx.x < blockDim.x / 2) s[threadIdx.x] += s[threadIdx.x + blockDim.x / 2];
        __syncthreads();
    }
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - start;
    if (s[threadIdx.x] == 1) out[0] = 1;
}

static void meetings() {
    for (int threads : {32, 128, 256, 512, 1024})
        for (int each : {1, 2, 4, 8}) {
            if (each * threads > 2048) continue;
            for (int tree = 0; tree < 2; tree++) {
                auto run = [=](int rounds) {
                    for (int i = 0; i < 2; i++) {
                        if (tree) barriers<true><<<sms * each, threads, 0, stream>>>(rounds, words, took);
                        else barriers<false><<<sms * each, threads, 0, stream>>>(rounds, words, took);
                    }
                    auto all = told(sms * each);
                    return middle({all.begin(), all.end()});
                };
                snprintf(name, sizeof name, "%s of blocks of %d threads, by blocks an SM", tree ? "a sum in shared memory and a barrier" : "a barrier", threads);
                tell(each, (run(600) - run(200)) / 400, "cycles");
            }
        }
}

// --- looks at other blocks ---

typedef unsigned long long word;
__device__ word seen(const word* at) { return *(const volatile word*)at; }

__device__ unsigned all_lanes(unsigned v) {
    for (int i = 16; i; i /= 2) v += __shfl_xor_sync(~0u, v, i);
    return v;
}

// Blocks publish 1, and find out how many lie before them. NONE: no block looks. BACK: a window of 32 after another, until a
// complete sum (decoupled look-back). ALL: everyone before, by as many loads as that takes. A state is of this `turn`, so
// that no block needs to reset it.
enum How { NONE, BACK, ALL };
template <How how>
__global__ void looks(word* states, unsigned* ticket, unsigned turn, unsigned* out) {
    __shared__ unsigned drawn;
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u) % gridDim.x;
    __syncthreads();
    unsigned tile = drawn, lane = threadIdx.x % 32, sum = 0;
    const word own = (word)turn << 34, complete = own | (word)1 << 33;
    if (threadIdx.x < 32) {
        if (lane == 0) *(volatile word*)&states[tile] = (tile ? own : complete) | 1;
        if (how == BACK && tile > 0) {
            for (int from = (int)tile - 1;; from -= 32) {
                int i = from - (int)lane;
                word w = complete;
                if (i >= 0)
                    while ((w = seen(&states[i])) >> 34 != turn) {}
                unsigned done = __ballot_sync(~0u, (w & complete) == complete);
                unsigned first = __ffs(done) - 1;
                sum += all_lanes(lane <= first && i >= 0 ? (unsigned)w : 0);
                if (done) break;
            }
            if (lane == 0) *(volatile word*)&states[tile] = complete | (sum + 1);
        }
        if (how == ALL)
            for (unsigned i = lane; i < tile; i += 32 * 9) {
                word w[9];
#pragma unroll
                for (int g = 0; g < 9; g++) w[g] = i + 32 * g < tile ? seen(&states[i + 32 * g]) : own;
#pragma unroll
                for (int g = 0; g < 9; g++) {
                    while (w[g] >> 34 != turn) w[g] = seen(&states[i + 32 * g]);
                    sum += (unsigned)w[g];
                }
            }
        if (how == ALL) sum = all_lanes(sum);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

static void flags() {
    static unsigned turn;
    word* states = (word*)words;
    unsigned* ticket = words + (1 << 20);
    CHECK(cudaMemset(words, 0, (size_t)8 << 20));
    for (int blocks : {2, 9, 22, 33, 66, 123, 132, 264, 528, 1056}) {
        auto run = [&](How how) {
            return timed([&, how] {
                CHECK(cudaMemsetAsync(ticket, 0, 4, stream));
                turn++;
                if (how == NONE) looks<NONE><<<blocks, 256, 0, stream>>>(states, ticket, turn, words + (1 << 21));
                if (how == BACK) looks<BACK><<<blocks, 256, 0, stream>>>(states, ticket, turn, words + (1 << 21));
                if (how == ALL) looks<ALL><<<blocks, 256, 0, stream>>>(states, ticket, turn, words + (1 << 21));
            });
        };
        double none = run(NONE);
        snprintf(name, sizeof name, "blocks that do not look, by blocks");
        tell(blocks, none);
        snprintf(name, sizeof name, "looking back, by blocks");
        tell(blocks, run(BACK) - none);
        snprintf(name, sizeof name, "looking at all before, by blocks");
        tell(blocks, run(ALL) - none);
    }
}

// --- copies in bulk ---

extern __shared__ __align__(128) unsigned char tile[];

// `rounds` times, `together` copies of `bytes` each are asked for, and waited for.
__global__ void bulk(const unsigned char* from, int bytes, int together, int rounds, Clock* took) {
    __shared__ __align__(8) unsigned long long barrier;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        from += (size_t)blockIdx.x * 131072;
        Clock start = 0;
        for (int i = 0; i < rounds; i++) {
            if (i == 2) start = clock64();
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes * together) : "memory");
            for (int j = 0; j < together; j++)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
                                 "r"(to + j * bytes), "l"(from + j * bytes), "r"(bytes), "r"(bar) : "memory");
            unsigned done = 0;
            while (!done)
                asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                             : "=r"(done) : "r"(bar), "r"(i & 1) : "memory");
        }
        took[blockIdx.x] = clock64() - start;
    }
}

static void copies() {
    CHECK(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 << 10));
    for (int blocks : {1, sms})
        for (int together : {1, 2, 4, 8})
            for (int bytes : {16, 128, 512, 2048, 8192, 16384}) {
                for (int i = 0; i < 2; i++)
                    bulk<<<blocks, 128, 128 << 10, stream>>>((unsigned char*)words, bytes, together, 34, took);
                auto all = told(blocks);
                snprintf(name, sizeof name, "%d copies in bulk at once on %d SMs, by bytes", together, blocks);
                tell(bytes, middle({all.begin(), all.end()}) / 32, "cycles");
            }
}

// --- chains ---

#define CHAIN(kernel, what)                                                         \
    __global__ void kernel(unsigned a, unsigned b, unsigned* out, Clock* took) {    \
        unsigned x = threadIdx.x;                                                   \
        Clock start = clock64();                                                    \
        _Pragma("unroll") for (int i = 0; i < 128; i++) {                           \
            asm volatile(what : "+r"(x) : "r"(a), "r"(b));                          \
        }                                                                           \
        Clock end = clock64();                                                      \
        out[threadIdx.x] = x;                                                       \
        if (threadIdx.x == 0) took[0] = end - start;                                \
    }
CHAIN(add_xor, "{add.u32 %0, %0, %1; xor.b32 %0, %0, %2;}")
CHAIN(xor_shift, "{xor.b32 %0, %0, %1; shf.l.wrap.b32 %0, %0, %2, 7;}")
CHAIN(madlo, "mad.lo.u32 %0, %0, %1, %2;")
CHAIN(fadd, "add.f32 %0, %0, %1;")
CHAIN(fmax_add, "{max.f32 %0, %0, %1; add.f32 %0, %0, %2;}")
CHAIN(max_xor, "{max.s32 %0, %0, %1; xor.b32 %0, %0, %2;}")
CHAIN(select, "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %2, %0, p; xor.b32 %0, %0, %1;}")
CHAIN(popcount, "{popc.b32 %0, %0; xor.b32 %0, %0, %1;}")
CHAIN(shuffle_add, "{.reg .b32 t; shfl.sync.up.b32 t, %0, 1, 0, -1; add.u32 %0, %0, t;}")
CHAIN(shuffle_fadd, "{.reg .b32 t; shfl.sync.up.b32 t, %0, 1, 0, -1; add.f32 %0, %0, t;}")
CHAIN(vote, "{.reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}")
CHAIN(match, "match.any.sync.b32 %0, %0, -1;")
CHAIN(converts, "{.reg .f32 f; cvt.rn.f32.u32 f, %0; add.f32 f, f, %1; cvt.rzi.u32.f32 %0, f;}")
CHAIN(to_half, "{.reg .b16 h; cvt.rn.f16.f32 h, %0; cvt.f32.f16 %0, h;}")

static void chains() {
    typedef void (*Chain)(unsigned, unsigned, unsigned*, Clock*);
    struct { const char* of; Chain run; } all[] = {
        {"add and xor", add_xor}, {"xor and funnel shift", xor_shift}, {"product and sum of integers", madlo}, {"sum of floats", fadd},
        {"maximum and sum of floats", fmax_add}, {"maximum and xor", max_xor}, {"comparison and selection and xor", select},
        {"population count and xor", popcount}, {"shuffle and sum of integers", shuffle_add}, {"shuffle and sum of floats", shuffle_fadd},
        {"comparison and ballot", vote}, {"match", match}, {"to float and back", converts}, {"to half and back", to_half}};
    for (auto& one : all) {
        for (int i = 0; i < 3; i++) one.run<<<1, 32, 0, stream>>>(3, 5, words, took);
        snprintf(name, sizeof name, "a chain: %s", one.of);
        tell(1, told(1)[0] / 128.0, "cycles");
    }
}

int main() {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begun));
    CHECK(cudaEventCreate(&ended));
    cudaDeviceProp part;
    CHECK(cudaGetDeviceProperties(&part, 0));
    sms = part.multiProcessorCount;
    printf("curve,x,value,unit\n# %s\n", part.name);
    CHECK(cudaMalloc(&took, 8 << 20));
    CHECK(cudaMalloc(&words, (size_t)128 << 20));
    CHECK(cudaMemset(words, 0, (size_t)128 << 20));
    chains();
    places();
    sectors<CACHED>();
    sectors<LOAD>();
    sectors<STORE>();
    sectors<PAIR>();
    sectors<WIDE>();
    sectors<RED>();
    sectors<ATOM>();
    streams();
    meetings();
    copies();
    starts();
    ends();
    flags();
    return 0;
}
