// CUB: what a warp and a block compute together, and what the device does with whole arrays.
// nvcc: --extended-lambda -std=c++17
#include "common.cuh"
#include <algorithm>
#include <cub/cub.cuh>
#include <vector>

__global__ void of_a_block(const int *in, int *sums, int *scanned, int *sorted) {
    typedef cub::BlockReduce<int, 128> Reduce;
    typedef cub::BlockScan<int, 128> Scan;
    typedef cub::BlockRadixSort<int, 128, 2> Sort;
    typedef cub::WarpReduce<int> Warp;
    __shared__ union {
        Reduce::TempStorage reduce;
        Scan::TempStorage scan;
        Sort::TempStorage sort;
        Warp::TempStorage warp[4];
    } room;
    int t = threadIdx.x, own = in[t];
    int sum = Reduce(room.reduce).Sum(own);
    if (t == 0) sums[0] = sum;
    __syncthreads();
    int most = Warp(room.warp[t / 32]).Reduce(own, [](int a, int b) { return a > b ? a : b; });
    if (t % 32 == 0) sums[1 + t / 32] = most;
    __syncthreads();
    Scan(room.scan).ExclusiveSum(own, own);
    scanned[t] = own;
    __syncthreads();
    int keys[2] = {in[2 * t], in[2 * t + 1]};
    Sort(room.sort).Sort(keys);
    sorted[2 * t] = keys[0];
    sorted[2 * t + 1] = keys[1];
}

// Calls it for the size of its memory, and then with it.
template <typename F> static void with_room(F call) {
    void *room = nullptr;
    size_t bytes = 0;
    OK(call(room, bytes));
    OK(cudaMalloc(&room, bytes));
    OK(call(room, bytes));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(room));
}

static std::vector<int> read(const int *p, int n) {
    std::vector<int> host(n);
    OK(cudaMemcpy(host.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost));
    return host;
}

int main() {
    const int n = 3000;
    std::vector<int> host(n);
    unsigned state = 7;
    for (int &x : host) x = (state = state * 1664525 + 1013904223) >> 20;
    int *in, *out, *more, *count;
    OK(cudaMalloc(&in, n * sizeof(int)));
    OK(cudaMalloc(&out, n * sizeof(int)));
    OK(cudaMalloc(&more, n * sizeof(int)));
    OK(cudaMalloc(&count, 128 * sizeof(int)));
    OK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    of_a_block<<<1, 128>>>(in, count, out, more);
    OK(cudaDeviceSynchronize());
    auto sums = read(count, 5), scanned = read(out, 128), sorted = read(more, 256);
    int sum = 0;
    for (int i = 0; i < 128; i++) {
        IS(scanned[i] == sum);
        sum += host[i];
    }
    IS(sums[0] == sum && sums[2] == *std::max_element(host.begin() + 32, host.begin() + 64));
    std::vector<int> expected(host.begin(), host.begin() + 256);
    std::sort(expected.begin(), expected.end());
    IS(sorted == expected);

    with_room([&](void *room, size_t &bytes) { return cub::DeviceRadixSort::SortKeys(room, bytes, in, out, n); });
    expected = host;
    std::sort(expected.begin(), expected.end());
    IS(read(out, n) == expected);
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(room, bytes, out, in, more, count, n);
    });
    std::vector<int> unique = expected;
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    int runs = read(count, 1)[0];
    IS(runs == (int)unique.size() && read(in, runs) == unique);
    OK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceSelect::If(room, bytes, in, out, count, n, [] __device__(int x) { return x % 2 == 0; });
    });
    std::vector<int> even;
    std::copy_if(host.begin(), host.end(), std::back_inserter(even), [](int x) { return x % 2 == 0; });
    IS(read(count, 1)[0] == (int)even.size() && read(out, even.size()) == even);
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(room, bytes, in, count, 9, 0, 4096, n);
    });
    std::vector<int> bins(8, 0);
    for (int x : host) bins[x / 512]++;
    IS(read(count, 8) == bins);
    with_room([&](void *room, size_t &bytes) { return cub::DeviceScan::InclusiveSum(room, bytes, in, out, n); });
    sum = 0;
    auto prefix = read(out, n);
    for (int i = 0; i < n; i++) IS(prefix[i] == (sum += host[i]));
    OK(cudaFree(in));
    OK(cudaFree(out));
    OK(cudaFree(more));
    OK(cudaFree(count));
    puts("CUB is right");
}
