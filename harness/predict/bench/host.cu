// Measures how long a launch takes, by events around it, after what the host or the device did before it, on the GPU at
// hand, as comma-separated lines: curve, x, value, unit.
//
//   nvcc -O2 -arch=native -o host host.cu && ./host > host.csv
//
// The first event is taken as soon as the device gets it; what is launched behind it comes when the host has prepared
// it. So a sample contains what the host needs for that, and it needs longer when its caches hold something else.
// Values are medians of 41 samples; each is taken when the device is idle.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
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

__global__ void nothing() {}

// Keeps the device busy for this number of clocks.
__global__ void spin(long long clocks) {
    long long start = clock64();
    while (clock64() - start < clocks) {}
}

// The median time, in microseconds, of 41 samples of `run`, each after `before` and, once the device is idle, `right`.
static double median(const Act& run, const Act& before, const Act& right) {
    std::vector<float> times;
    for (int i = 0; i < 43; i++) {
        before();
        CHECK(cudaStreamSynchronize(stream));
        right();
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

// What is timed.
struct Sample {
    const char* name;
    Act run;
};

static void tell(const std::vector<Sample>& samples, const char* when, double x, const Act& before,
                 const Act& right = [] {}) {
    for (const Sample& sample : samples) {
        printf("%s %s,%g,%.4g,us\n", sample.name, when, x, median(sample.run, before, right));
        fflush(stdout);
    }
}

static void busy(double ms) {
    auto until = std::chrono::steady_clock::now() + std::chrono::duration<double, std::milli>(ms);
    while (std::chrono::steady_clock::now() < until) {}
}

static unsigned long long sum_of(const std::vector<unsigned long long>& words, size_t bytes) {
    unsigned long long sum = 0;
    for (size_t i = 0; i < bytes / 8; i++) sum += words[i];
    return sum;
}

static void measure(const std::vector<Sample>& samples) {
    const size_t most = (size_t)64 << 20;
    std::vector<unsigned long long> words(most / 8, 1);
    unsigned char* there;
    CHECK(cudaMalloc(&there, most));
    CHECK(cudaMemset(there, 1, most));
    static volatile unsigned long long sink;
    auto reads = [&](size_t mib) { return [&words, mib] { sink = sum_of(words, mib << 20); }; };
    tell(samples, "after nothing", 0, [] {});
    for (double ms : {0.1, 1.0, 10.0}) {
        tell(samples, "after the host slept by ms", ms, [=] { usleep((unsigned)(ms * 1e3)); });
        tell(samples, "after the host worked in registers by ms", ms, [=] { busy(ms); });
    }
    for (size_t mib : {1, 4, 16, 64}) {
        tell(samples, "after the host read MiB", mib, reads(mib));
        auto copies = [&, mib] { CHECK(cudaMemcpyAsync(words.data(), there, mib << 20, cudaMemcpyDeviceToHost, stream)); };
        tell(samples, "after a copy to the host of MiB", mib, copies);
        tell(samples, "after the device filled MiB", mib, [&, mib] { cudaMemsetAsync(there, 1, mib << 20, stream); });
    }
    // The same, after the host has made the same calls once, untimed.
    auto rehearsed = [] {
        CHECK(cudaEventRecord(begun, stream));
        nothing<<<1, 32, 0, stream>>>();
        CHECK(cudaEventRecord(ended, stream));
        CHECK(cudaStreamSynchronize(stream));
    };
    tell(samples, "rehearsed after the host read MiB", 16, reads(16), rehearsed);
    // While the device is busy with something else, the host prepares all of it.
    auto behind = [] { spin<<<1, 32, 0, stream>>>(100000); };
    tell(samples, "behind a busy device after nothing", 0, [] {}, behind);
    tell(samples, "behind a busy device after the host read MiB", 16, reads(16), behind);
    CHECK(cudaFree(there));
}

// Keeps the device busy for half a millisecond, in which the host queues what is timed.
static void behind() { spin<<<1, 1, 0, stream>>>(1000000); }

__global__ void one_word(unsigned* words) { words[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

// What the device itself needs from the first event to the last, when all is queued before it begins.
static void queued() {
    const size_t most = (size_t)16 << 20;
    unsigned char *there, *other;
    CHECK(cudaMalloc(&there, most));
    CHECK(cudaMalloc(&other, most));
    auto told = [](const char* name, double x, const Act& run) {
        printf("queued: %s,%g,%.4g,us\n", name, x, median(run, [] {}, behind));
        fflush(stdout);
    };
    told("nothing", 0, [] {});
    for (int blocks : {1, 132, 528, 1056, 2112, 4224, 8192})
        told("an empty kernel by blocks of 256 threads", blocks, [=] { nothing<<<blocks, 256, 0, stream>>>(); });
    for (int many : {1, 2, 3, 5, 10, 30, 100})
        told("empty kernels one after another", many, [=] {
            for (int i = 0; i < many; i++) nothing<<<132, 256, 0, stream>>>();
        });
    for (int many : {1, 2, 3, 5, 10})
        told("kernels that change a word a thread, one after another", many, [=] {
            for (int i = 0; i < many; i++) one_word<<<132, 256, 0, stream>>>((unsigned*)there);
        });
    for (size_t bytes : {(size_t)4, (size_t)4096, (size_t)1 << 16, (size_t)1 << 20, most}) {
        auto fill = [=] { CHECK(cudaMemsetAsync(there, 0, bytes, stream)); };
        told("a fill by bytes", (double)bytes, fill);
        told("a fill and an empty kernel by bytes", (double)bytes, [=] { fill(), nothing<<<132, 256, 0, stream>>>(); });
        told("an empty kernel, a fill and one more by bytes", (double)bytes, [=] {
            nothing<<<132, 256, 0, stream>>>(), fill(), nothing<<<132, 256, 0, stream>>>();
        });
        told("a copy on the device by bytes", (double)bytes, [=] {
            CHECK(cudaMemcpyAsync(other, there, bytes, cudaMemcpyDeviceToDevice, stream));
        });
    }
    for (int many : {1, 3, 10}) {
        cudaGraph_t graph;
        cudaGraphExec_t ready;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < many; i++) nothing<<<132, 256, 0, stream>>>();
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&ready, graph, 0));
        told("a graph of empty kernels", many, [=] { CHECK(cudaGraphLaunch(ready, stream)); });
    }
}

#ifndef SAMPLES
int main() {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begun));
    CHECK(cudaEventCreate(&ended));
    cudaDeviceProp part;
    CHECK(cudaGetDeviceProperties(&part, 0));
    printf("curve,x,value,unit\n# %s\n", part.name);
    unsigned char* word;
    CHECK(cudaMalloc(&word, 4096));
    queued();
    auto kernel = [] { nothing<<<132, 256, 0, stream>>>(); };
    auto fill = [=] { CHECK(cudaMemsetAsync(word, 0, 4096, stream)); };
    measure({
        {"an empty kernel", kernel},
        {"a fill and an empty kernel", [=] { fill(), kernel(); }},
        {"three empty kernels", [=] { kernel(), kernel(), kernel(); }},
    });
    return 0;
}
#endif
