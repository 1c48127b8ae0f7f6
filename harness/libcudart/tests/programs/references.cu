// The C++ library on the device: atomics over plain memory, semaphores, latches, bits, variants, views of arrays.
// nvcc: -std=c++17
#include "common.cuh"
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <new>
#include <vector>

template <class T> T *managed(size_t n) {
    T *p;
    OK(cudaMallocManaged(&p, n * sizeof(T)));
    memset((void *)p, 0, n * sizeof(T));
    return p;
}

struct Counts {
    int plain;
    unsigned most;
    double sum;
    long long bits;
};

__global__ void count(Counts *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<int, cuda::thread_scope_device> plain(c->plain);
    plain.fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> most(c->most);
    most.fetch_max(unsigned(i * 7919 % 10007), cuda::memory_order_relaxed);
    cuda::atomic_ref<double, cuda::thread_scope_device> sum(c->sum);
    double seen = sum.load();
    while (!sum.compare_exchange_weak(seen, seen + i * 0.5, cuda::memory_order_acq_rel)) {
    }
    cuda::std::atomic_ref<long long>(c->bits).fetch_or(1LL << (i % 61));
}

// At most two of the blocks are in the middle at once.
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> room(2);
__device__ cuda::atomic<int, cuda::thread_scope_device> inside, most_inside, through;

__global__ void enter() {
    if (threadIdx.x) return;
    room.acquire();
    most_inside.fetch_max(inside.fetch_add(1) + 1);
    through.fetch_add(1);
    inside.fetch_sub(1);
    room.release();
}

__global__ void counts_down(int *out) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) unsigned char place[sizeof(Latch)];
    __shared__ int parts[64];
    Latch &latch = *reinterpret_cast<Latch *>(place);
    if (threadIdx.x == 0) new (place) Latch(64);
    __syncthreads();
    parts[threadIdx.x] = threadIdx.x * threadIdx.x;
    latch.arrive_and_wait();
    int sum = 0;
    for (int part : parts) sum += part;
    out[threadIdx.x] = sum;
}

__global__ void words(unsigned *out) {
    namespace std_ = cuda::std;
    unsigned x = threadIdx.x * 2654435761u;
    out[threadIdx.x * 4] = std_::popcount(x) | std_::countl_zero(x) << 8 | std_::countr_one(x) << 16;
    out[threadIdx.x * 4 + 1] = std_::rotl(x, int(threadIdx.x)) ^ std_::bit_ceil(x >> 1) ^ std_::bit_width(x);
    std_::variant<int, float, std_::pair<int, int>> any;
    if (threadIdx.x % 3 == 1) any = 2.5f;
    if (threadIdx.x % 3 == 2) any = std_::make_pair(8, 3);
    out[threadIdx.x * 4 + 2] = std_::visit(
        [](auto value) {
            if constexpr (std_::is_same_v<decltype(value), std_::pair<int, int>>)
                return unsigned(value.first + value.second);
            else
                return unsigned(value * 2 + 100);
        },
        any);
    std_::bitset<100> set;
    for (unsigned i = 0; i < 100; i += threadIdx.x + 1) set.set(i);
    out[threadIdx.x * 4 + 3] = unsigned(set.count()) + std_::gcd(threadIdx.x + 12u, 18u) * 1000u;
}

__global__ void transposes(const float *in, float *out, int rows, int columns) {
    using Matrix = cuda::std::dextents<int, 2>;
    cuda::std::mdspan<const float, Matrix> a(in, rows, columns);
    cuda::std::mdspan<float, Matrix, cuda::std::layout_left> b(out, rows, columns);
    for (int i = threadIdx.x; i < a.size(); i += blockDim.x) {
        int row = i / a.extent(1), column = i % a.extent(1);
        b(row, column) = a(row, column) + 1;
    }
}

int main() {
    const int n = 3000;
    Counts *c = managed<Counts>(1);
    count<<<12, 256>>>(c, n);
    OK(cudaDeviceSynchronize());
    unsigned most = 0;
    for (int i = 0; i < n; i++) most = std::max(most, unsigned(i * 7919 % 10007));
    IS(c->plain == n && c->most == most && c->sum == n * (n - 1) / 4.0 && c->bits == (1LL << 61) - 1);
    puts("atomics over plain memory are right");
    enter<<<20, 32>>>();
    OK(cudaDeviceSynchronize());
    decltype(cuda::atomic<int, cuda::thread_scope_device>()) *address;
    int passed, highest;
    OK(cudaGetSymbolAddress((void **)&address, through));
    OK(cudaMemcpy(&passed, address, sizeof passed, cudaMemcpyDefault));
    OK(cudaGetSymbolAddress((void **)&address, most_inside));
    OK(cudaMemcpy(&highest, address, sizeof highest, cudaMemcpyDefault));
    IS(passed == 20 && highest >= 1 && highest <= 2);
    puts("a semaphore lets two in");
    int *sums = managed<int>(64);
    counts_down<<<1, 64>>>(sums);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) IS(sums[i] == 63 * 64 * 127 / 6);
    puts("a latch opens when all have come");
    unsigned *w = managed<unsigned>(4 * 96);
    words<<<1, 96>>>(w);
    OK(cudaDeviceSynchronize());
    for (unsigned t = 0; t < 96; t++) {
        unsigned x = t * 2654435761u, ceil = 1, width = x ? 32 - __builtin_clz(x) : 0, set = (99 / (t + 1)) + 1;
        while (ceil < x >> 1) ceil *= 2;
        unsigned ones = ~x ? __builtin_ctz(~x) : 32, zeros = x ? __builtin_clz(x) : 32;
        IS(w[4 * t] == (unsigned(__builtin_popcount(x)) | zeros << 8 | ones << 16));
        IS(w[4 * t + 1] == ((x << t % 32 | (t % 32 ? x >> (32 - t % 32) : 0)) ^ ceil ^ width));
        IS(w[4 * t + 2] == (t % 3 == 0 ? 100u : t % 3 == 1 ? 105u : 8u + 3u));
        unsigned a = t + 12, b = 18;
        while (b) std::swap(a %= b, b);
        IS(w[4 * t + 3] == set + a * 1000);
    }
    puts("bits, variants and sets are right");
    float *in = managed<float>(15 * 22), *out = managed<float>(15 * 22);
    for (int i = 0; i < 15 * 22; i++) in[i] = float(i);
    transposes<<<1, 128>>>(in, out, 15, 22);
    OK(cudaDeviceSynchronize());
    for (int r = 0; r < 15; r++)
        for (int k = 0; k < 22; k++) IS(out[k * 15 + r] == in[r * 22 + k] + 1);
    puts("views of a matrix are right");
    for (void *p : {(void *)c, (void *)sums, (void *)w, (void *)in, (void *)out}) OK(cudaFree(p));
}
