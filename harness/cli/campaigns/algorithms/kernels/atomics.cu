// Atomics: compare-and-swap loops, tables and lists without locks, a lock, and the last block.
#include "../common.cuh"
#include <cuda/atomic>

__device__ double maximum(double *address, double value) {
    auto *bits = reinterpret_cast<unsigned long long *>(address);
    unsigned long long old = *reinterpret_cast<volatile unsigned long long *>(bits);
    while (__longlong_as_double(old) < value) {
        unsigned long long assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value));
        if (old == assumed) break;
    }
    return __longlong_as_double(old);
}

// The greatest element, by compare-and-swap on a double.
__global__ void greatest(const double *in, int n, double *result) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) maximum(result, in[i]);
}

const int EMPTY = -1;

// Counts equal keys in a hash table with linear probing.
__global__ void count_keys(const int *keys, int n, int *table, int *counts, int slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int slot = int(unsigned(keys[i]) * 2654435761u % unsigned(slots));
    while (true) {
        int found = atomicCAS(&table[slot], EMPTY, keys[i]);
        if (found == EMPTY || found == keys[i]) break;
        slot = (slot + 1) % slots;
    }
    atomicAdd(&counts[slot], 1);
}

// The sum of all elements: the block that ends last adds the blocks' sums up. `ticket` is 0 again at the end.
__global__ void sum(const int *in, int n, long long *partial, unsigned *ticket, long long *result) {
    __shared__ long long sums[128];
    __shared__ bool is_last;
    long long own = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) own += in[i];
    sums[threadIdx.x] = own;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sums[0];
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> tickets(*ticket);
        is_last = tickets.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    own = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += 128) own += partial[i];
    sums[threadIdx.x] = own;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) *result = sums[0], *ticket = 0;
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"greatest", [](int n) {
            std::vector<double> values = numbers<double>(n, 1 << 20);
            Array<double> in(values), out(std::vector<double>{-1.0});
            greatest<<<8, 64>>>(in.get(), n, out.get());
            return out.is({*std::max_element(values.begin(), values.end())});
        }},
        {"count_keys", [](int n) {
            std::vector<int> keys = numbers(n, n / 3 + 1);
            int slots = n + 7;
            Array<int> in(keys), table(std::vector<int>(slots, EMPTY)), counts(std::vector<int>(slots, 0));
            count_keys<<<(n + 95) / 96, 96>>>(in.get(), n, table.get(), counts.get(), slots);
            std::vector<int> found = table.first(slots), times = counts.first(slots);
            std::vector<int> expected(n / 3 + 1), all(n / 3 + 1);
            for (int key : keys) expected[key]++;
            for (int i = 0; i < slots; i++)
                if (found[i] != EMPTY) all[found[i]] += times[i];
            return all == expected;
        }},
        {"sum", [](int n) {
            std::vector<int> values = numbers(n);
            const int blocks = 9;
            Array<int> in(values);
            Array<long long> partial(blocks), out(1);
            Array<unsigned> ticket(std::vector<unsigned>{0});
            for (int i = 0; i < 2; i++) sum<<<blocks, 128>>>(in.get(), n, partial.get(), ticket.get(), out.get());
            return out.is({std::accumulate(values.begin(), values.end(), 0LL)});
        }},
    });
}
