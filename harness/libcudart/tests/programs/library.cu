// The C++ library on the device: tuples, optionals, spans, complex numbers, limits, time, barriers.
// nvcc: -std=c++17
#include "common.cuh"
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>

__device__ cuda::std::optional<int> found_at(cuda::std::span<const int> numbers, int wanted) {
    for (size_t i = 0; i < numbers.size(); i++)
        if (numbers[i] == wanted) return static_cast<int>(i);
    return {};
}

__global__ void try_all(const int *numbers, int n, int *out) {
    cuda::std::span<const int> span(numbers, n);
    out[0] = found_at(span, 30).value_or(-1);
    out[1] = found_at(span, 31).value_or(-1);
    out[2] = found_at(span.subspan(2), 30).value_or(-1);
    auto pair = cuda::std::make_tuple(3, 4.5f, 'x');
    out[3] = cuda::std::get<0>(pair) + static_cast<int>(2 * cuda::std::get<1>(pair));
    cuda::std::array<int, 4> four = {1, 2, 3, 4};
    int sum = 0;
    for (int x : four) sum += x;
    out[4] = sum + static_cast<int>(four.size());
    cuda::std::complex<float> i(0, 1);
    out[5] = static_cast<int>((i * i).real()) == -1 && norm(cuda::std::complex<float>(3, 4)) == 25;
    out[6] = cuda::std::numeric_limits<int>::max() == 2147483647;
    int a = 1, b = 2;
    cuda::std::swap(a, b);
    out[7] = 10 * a + b;
}

// A barrier that knows how many have arrived, in two phases.
__global__ void phases(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int words[64];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    words[threadIdx.x] = threadIdx.x;
    auto token = barrier.arrive();
    barrier.wait(cuda::std::move(token));
    int other = words[63 - threadIdx.x];
    barrier.arrive_and_wait();
    words[threadIdx.x] = other;
    barrier.arrive_and_wait();
    out[threadIdx.x] = words[threadIdx.x];
}

int main() {
    int numbers[] = {10, 20, 30, 40}, *p, *out, host[64];
    OK(cudaMalloc(&p, sizeof numbers));
    OK(cudaMalloc(&out, sizeof host));
    OK(cudaMemcpy(p, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    try_all<<<1, 1>>>(p, 4, out);
    OK(cudaMemcpy(host, out, 8 * sizeof(int), cudaMemcpyDeviceToHost));
    const int expected[] = {2, -1, 0, 12, 14, 1, 1, 21};
    for (int i = 0; i < 8; i++) IS(host[i] == expected[i]);
    phases<<<1, 64>>>(out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) IS(host[i] == 63 - i);
    OK(cudaFree(p));
    OK(cudaFree(out));
    puts("the library is right");
}
