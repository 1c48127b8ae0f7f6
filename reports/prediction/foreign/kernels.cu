// Kernels of textbooks and courses, as they were published or handed in, whose times on an H200 are in measured.csv.
// They are not those of the labs, and no constant was fitted to them.
//
//   kernels NAME          prints the name and the median of its launches' times in µs, by CUDA events
//   kernels NAME once     launches it once: for the emulated machine, which counts
//   kernels               prints the names

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

static void check(cudaError_t error, int line) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "error: line %d: %s\n", line, cudaGetErrorString(error));
    exit(4);
}
#define CHECK(call) check((call), __LINE__)

// --- the area under a curve

__device__ inline float f(float x) { return x * x + 1.0f; }

__global__ void trap_612(float a, float b, float h, int n, float* p) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (0 < i && i < n) {
        float x = a + i * h;
        atomicAdd(p, f(x));
    }
}

__device__ float wsum(float v) {
    for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__global__ void trap_613(float a, float b, float h, int n, float* p) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    float t = 0;
    if (0 < i && i < n) t = f(a + i * h);
    float r = wsum(t);
    if (threadIdx.x == 0) atomicAdd(p, r);
}

__device__ float ssum(volatile float* s) {
    int l = threadIdx.x % warpSize;
    for (int d = warpSize / 2; d > 0; d /= 2) {
        int q = (l + d) % warpSize;
        float v = s[l] + s[q];
        __syncwarp();
        s[l] = v;
        __syncwarp();
    }
    return s[l];
}

__global__ void trap_614(float a, float b, float h, int n, float* p) {
    __shared__ float s[32];
    int i = blockDim.x * blockIdx.x + threadIdx.x, l = threadIdx.x % 32;
    s[l] = 0;
    if (0 < i && i < n) s[l] = f(a + i * h);
    float r = ssum(s);
    if (threadIdx.x == 0) atomicAdd(p, r);
}

__global__ void trap_615s(float a, float b, float h, int n, float* p) {
    __shared__ float c[1024], w[32];
    int i = blockDim.x * blockIdx.x + threadIdx.x, wi = threadIdx.x / 32, l = threadIdx.x % 32;
    float* s = c + wi * 32;
    s[l] = 0;
    if (0 < i && i < n) s[l] = f(a + i * h);
    float r = ssum(s);
    if (l == 0) w[wi] = r;
    __syncthreads();
    float br = 0;
    if (wi == 0) {
        if (threadIdx.x >= blockDim.x / 32) w[threadIdx.x] = 0;
        __syncwarp();
        br = ssum(w);
    }
    if (threadIdx.x == 0) atomicAdd(p, br);
}

__global__ void trap_615w(float a, float b, float h, int n, float* p) {
    __shared__ float w[32];
    int i = blockDim.x * blockIdx.x + threadIdx.x, wi = threadIdx.x / 32, l = threadIdx.x % 32;
    float t = 0;
    if (0 < i && i < n) t = f(a + i * h);
    float r = wsum(t);
    if (l == 0) w[wi] = r;
    __syncthreads();
    float br = 0;
    if (wi == 0) {
        if (threadIdx.x >= blockDim.x / 32) w[threadIdx.x] = 0;
        __syncwarp();
        br = wsum(w[threadIdx.x]);
    }
    if (threadIdx.x == 0) atomicAdd(p, br);
}

// --- sums of vectors, histograms, reductions

__global__ void vadd(const float* a, const float* b, float* c, size_t n) {
    size_t id = blockIdx.x * (size_t)blockDim.x + threadIdx.x, st = (size_t)blockDim.x * gridDim.x;
    for (size_t i = id; i < n; i += st) c[i] = a[i] + b[i];
}

__global__ void hist_global(const unsigned char* a, unsigned* h, long n) {
    long t = blockIdx.x * (long)blockDim.x + threadIdx.x, st = (long)blockDim.x * gridDim.x;
    for (long i = t; i < n; i += st) {
        int l = a[i] - 97;
        if (l >= 0 && l < 26) atomicAdd(&h[l / 4], 1);
    }
}

__global__ void hist_priv(const unsigned char* a, unsigned* h, long n, unsigned nb) {
    long t = blockIdx.x * (long)blockDim.x + threadIdx.x, st = (long)blockDim.x * gridDim.x;
    extern __shared__ unsigned hs[];
    for (unsigned b = threadIdx.x; b < nb; b += blockDim.x) hs[b] = 0;
    __syncthreads();
    for (long i = t; i < n; i += st) {
        int l = a[i] - 97;
        if (l >= 0 && l < 26) atomicAdd(&hs[l / 4], 1);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < nb; b += blockDim.x) atomicAdd(&h[b], hs[b]);
}

__global__ void red_classic(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x * 2 + t;
    float v = 0;
    if (i < n) v = in[i];
    if (i + blockDim.x < n) v += in[i + blockDim.x];
    s[t] = v;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void red_shuffle(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x, l = t % 32, w = t / 32;
    size_t i = (size_t)blockIdx.x * blockDim.x * 2 + t;
    float v = 0;
    if (i < n) v = in[i];
    if (i + blockDim.x < n) v += in[i + blockDim.x];
    v = wsum(v);
    if (l == 0) s[w] = v;
    __syncthreads();
    if (w == 0) {
        float x = l < blockDim.x / 32 ? s[l] : 0;
        x = wsum(x);
        if (l == 0) out[blockIdx.x] = x;
    }
}

// --- products of matrices

__global__ void mm_naive(const float* M, const float* N, float* P, int w) {
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < w && c < w) {
        float a = 0;
        for (int k = 0; k < w; k++) a += M[(size_t)r * w + k] * N[(size_t)k * w + c];
        P[(size_t)r * w + c] = a;
    }
}

template <int T>
__global__ void mm_tiled(const float* A, const float* B, float* C, int m, int k, int n) {
    __shared__ float As[T][T], Bs[T][T];
    int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
    float v = 0;
    for (int t = 0; t < (T + k - 1) / T; t++) {
        As[threadIdx.y][threadIdx.x] = (t * T + threadIdx.x < k && r < m) ? A[(size_t)r * k + t * T + threadIdx.x] : 0;
        Bs[threadIdx.y][threadIdx.x] =
            (t * T + threadIdx.y < k && c < n) ? B[(size_t)(t * T + threadIdx.y) * n + c] : 0;
        __syncthreads();
        for (int q = 0; q < T; q++) v += As[threadIdx.y][q] * Bs[q][threadIdx.x];
        __syncthreads();
    }
    if (r < m && c < n) C[(size_t)r * n + c] = v;
}

// --- stencils

__global__ void stencil5(const float* in, float* out, long m, long n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    extern __shared__ float t[];
    int sw = blockDim.x + 2, sx = threadIdx.x + 1, sy = threadIdx.y + 1;
    auto id = [&](long yy, long xx) { return yy * m + xx; };
    t[sy * sw + sx] = (x < m && y < n) ? in[id(y, x)] : 0;
    if (threadIdx.x == 0 && x > 0 && y < n) t[sy * sw + sx - 1] = in[id(y, x - 1)];
    if (threadIdx.x == blockDim.x - 1 && x < m - 1 && y < n) t[sy * sw + sx + 1] = in[id(y, x + 1)];
    if (threadIdx.y == 0 && y > 0 && x < m) t[(sy - 1) * sw + sx] = in[id(y - 1, x)];
    if (threadIdx.y == blockDim.y - 1 && y < n - 1 && x < m) t[(sy + 1) * sw + sx] = in[id(y + 1, x)];
    __syncthreads();
    if (x > 0 && x < m - 1 && y > 0 && y < n - 1) {
        float both = t[sy * sw + sx] + t[sy * sw + sx - 1] + t[sy * sw + sx + 1];
        out[id(y, x)] = (both + t[(sy - 1) * sw + sx] + t[(sy + 1) * sw + sx]) / 5.0f;
    } else if (x < m && y < n)
        out[id(y, x)] = in[id(y, x)];
}

__global__ void lap(int I, int J, const float* __restrict__ u1, float* __restrict__ u2) {
    int i = threadIdx.x + blockIdx.x * blockDim.x, j = threadIdx.y + blockIdx.y * blockDim.y;
    if (i >= I || j >= J) return;
    long id = i + (long)j * I;
    if (i == 0 || i == I - 1 || j == 0 || j == J - 1)
        u2[id] = u1[id];
    else
        u2[id] = 0.25f * (u1[id - 1] + u1[id + 1] + u1[id - I] + u1[id + I]);
}

// --- the launches, at the sizes that were measured

static void* filled(size_t bytes, int with = 0) {
    void* to;
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemset(to, with, bytes));
    return to;
}

static float* floats(size_t n) { return (float*)filled(n * 4); }

// 2^28 letters, or as many `a`s.
static unsigned char* letters(long n, bool same) {
    if (same) return (unsigned char*)filled(n, 'a');
    std::vector<unsigned char> text(n);
    unsigned r = 1;
    for (long i = 0; i < n; i++) {
        r = r * 1664525u + 1013904223u;
        text[i] = 'a' + (r >> 24) % 26;
    }
    unsigned char* to = (unsigned char*)filled(n);
    CHECK(cudaMemcpy(to, text.data(), n, cudaMemcpyHostToDevice));
    return to;
}

using Launch = std::function<void()>;

template <typename K>
static Launch trapezoid(K kernel, int blocks, int threads) {
    float a = -3, b = 3, *sum = floats(1);
    int n = 1 << 20;
    return [=] { kernel<<<blocks, threads>>>(a, b, (b - a) / n, n, sum); };
}

template <typename K>
static Launch reduction(K kernel, size_t shared) {
    size_t n = (size_t)1 << 30, blocks = n / 2048;
    float *from = floats(n), *to = floats(blocks);
    return [=] { kernel<<<blocks, 1024, shared>>>(from, to, n); };
}

static Launch histogram(bool is_private, bool same) {
    long n = 1l << 28;
    unsigned char* text = letters(n, same);
    unsigned* counts = (unsigned*)filled(1024);
    if (is_private) return [=] { hist_priv<<<1056, 256, 28>>>(text, counts, n, 7); };
    return [=] { hist_global<<<1056, 256>>>(text, counts, n); };
}

template <int T>
static Launch product(int m, int k, int n) {
    float *a = floats((size_t)m * k), *b = floats((size_t)k * n), *c = floats((size_t)m * n);
    dim3 blocks((n + T - 1) / T, (m + T - 1) / T);
    return [=] { mm_tiled<T><<<blocks, dim3(T, T)>>>(a, b, c, m, k, n); };
}

static const std::map<std::string, std::function<Launch()>> ALL = {
    {"trap_612", [] { return trapezoid(trap_612, 1024, 1024); }},
    {"trap_613", [] { return trapezoid(trap_613, 32768, 32); }},
    {"trap_614", [] { return trapezoid(trap_614, 32768, 32); }},
    {"trap_615s", [] { return trapezoid(trap_615s, 1024, 1024); }},
    {"trap_615w", [] { return trapezoid(trap_615w, 1024, 1024); }},
    {"vadd",
     []() -> Launch {
         size_t n = (size_t)1 << 28;
         float *a = floats(n), *b = floats(n), *c = floats(n);
         return [=] { vadd<<<1056, 256>>>(a, b, c, n); };
     }},
    {"hist_global", [] { return histogram(false, false); }},
    {"hist_global_same", [] { return histogram(false, true); }},
    {"hist_priv", [] { return histogram(true, false); }},
    {"hist_priv_same", [] { return histogram(true, true); }},
    {"red_classic", [] { return reduction(red_classic, 4096); }},
    {"red_shuffle", [] { return reduction(red_shuffle, 128); }},
    {"mm_naive",
     []() -> Launch {
         float *a = floats(1 << 20), *b = floats(1 << 20), *c = floats(1 << 20);
         return [=] { mm_naive<<<dim3(64, 64), dim3(16, 16)>>>(a, b, c, 1024); };
     }},
    {"mm_tiled16", [] { return product<16>(1024, 1024, 1024); }},
    {"mm_tiled32", [] { return product<32>(1024, 1024, 1024); }},
    {"mm_tiled10", [] { return product<10>(1000, 500, 700); }},
    {"stencil5",
     []() -> Launch {
         long m = 20000, n = 10000;
         float *from = floats(m * n), *to = floats(m * n);
         dim3 blocks((m + 31) / 32, (n + 31) / 32);
         return [=] { stencil5<<<blocks, dim3(32, 32), 34 * 34 * 4>>>(from, to, m, n); };
     }},
    {"lap",
     []() -> Launch {
         long m = 20000, n = 10000;
         float *from = floats(m * n), *to = floats(m * n);
         return [=] { lap<<<dim3((m + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(m, n, from, to); };
     }},
};

static double median(const Launch& launch) {
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < 12; i++) {
        CHECK(cudaEventRecord(start));
        launch();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start, end));
        if (i > 0) times.push_back(ms * 1e3f);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int main(int count, char** words) {
    if (count < 2) {
        for (const auto& [name, _] : ALL) printf("%s\n", name.c_str());
        return 0;
    }
    auto found = ALL.find(words[1]);
    if (found == ALL.end()) {
        fprintf(stderr, "error: no kernel is called %s; without words, kernels prints the names\n", words[1]);
        return 2;
    }
    Launch launch = found->second();
    if (count > 2 && !strcmp(words[2], "once"))
        launch();
    else
        printf("%s,%.5g\n", words[1], median(launch));
    CHECK(cudaDeviceSynchronize());
    return 0;
}
