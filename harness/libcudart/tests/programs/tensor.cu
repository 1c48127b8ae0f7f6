// Products of tiles by a warp: halves, bfloat16, bytes, with whole numbers, so that every sum is exact.
// nvcc: -arch=sm_80
#include "common.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <type_traits>

using namespace nvcuda;

template <typename A, typename C, typename Order> __global__ void multiply(const A *a, const A *b, C *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, A, wmma::row_major> tile_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, A, Order> tile_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, C> sum;
    wmma::fill_fragment(sum, C(1));
    for (int k = 0; k < 32; k += 16) {
        wmma::load_matrix_sync(tile_a, a + k, 32);
        wmma::load_matrix_sync(tile_b, std::is_same<Order, wmma::row_major>::value ? b + k * 16 : b + k,
                               std::is_same<Order, wmma::row_major>::value ? 16 : 32);
        wmma::mma_sync(sum, tile_a, tile_b, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] = sum.x[i] + sum.x[i];
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

static int of_a(int row, int k) {
    return (row * 3 + k) % 7 - 3;
}
static int of_b(int k, int column) {
    return (k + column * 5) % 5 - 2;
}

template <typename A, typename C, typename Order> static void try_with(A (*of)(int)) {
    A a[16 * 32], b[32 * 16], *device_a, *device_b;
    C c[16 * 16], *device_c;
    const bool rows = std::is_same<Order, wmma::row_major>::value;
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 32; k++) {
            a[i * 32 + k] = of(of_a(i, k));
            b[rows ? k * 16 + i : i * 32 + k] = of(of_b(k, i));
        }
    OK(cudaMalloc(&device_a, sizeof a));
    OK(cudaMalloc(&device_b, sizeof b));
    OK(cudaMalloc(&device_c, sizeof c));
    OK(cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));
    multiply<A, C, Order><<<1, 32>>>(device_a, device_b, device_c);
    OK(cudaMemcpy(c, device_c, sizeof c, cudaMemcpyDeviceToHost));
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            int sum = 1;
            for (int k = 0; k < 32; k++) sum += of_a(row, k) * of_b(k, column);
            IS((float)c[row * 16 + column] == 2.0f * sum);
        }
    OK(cudaFree(device_a));
    OK(cudaFree(device_b));
    OK(cudaFree(device_c));
}

int main() {
    auto half = [](int x) { return __float2half(x); };
    auto bfloat = [](int x) { return __float2bfloat16(x); };
    auto byte = [](int x) { return (signed char)x; };
    try_with<__half, float, wmma::row_major>(half);
    try_with<__half, float, wmma::col_major>(half);
    try_with<__half, __half, wmma::col_major>(half);
    try_with<__nv_bfloat16, float, wmma::row_major>(bfloat);
    try_with<signed char, int, wmma::col_major>(byte);
    puts("tiles are right");
}
