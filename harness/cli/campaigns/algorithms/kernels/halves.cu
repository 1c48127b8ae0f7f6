// Half precision and tensor cores.
#include "../common.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

// A dot product of pairs of halves for each block of 512 pairs, which is exact for these small integers.
__global__ void dot(const __half2 *a, const __half2 *b, float *out, int pairs) {
    __shared__ float sums[4];
    float sum = 0;
    for (int i = blockIdx.x * 512 + threadIdx.x; i < min(pairs, int(blockIdx.x + 1) * 512); i += blockDim.x) {
        float2 product = __half22float2(__hmul2(a[i], b[i]));
        sum += product.x + product.y;
    }
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

// Floats to bfloat16 and back, in place in the upper halves of words.
__global__ void round_trip(const float *in, __nv_bfloat16 *narrow, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    narrow[i] = __float2bfloat16(in[i]);
    out[i] = __bfloat162float(narrow[i]) + __bfloat162float(__hneg(narrow[i])) + float(i);
}

// C = A B of 16 x 16 tiles, one warp each, through shared memory at the edges.
__global__ void multiply(const __half *a, const __half *b, float *c, int m, int n, int k) {
    using namespace nvcuda;
    __shared__ alignas(32) __half tile_a[256], tile_b[256];
    __shared__ alignas(32) float tile_c[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0);
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int step = 0; step < k; step += 16) {
        for (int i = threadIdx.x; i < 256; i += 32) {
            int y = i / 16, x = i % 16;
            tile_a[i] = row + y < m && step + x < k ? a[(row + y) * k + step + x] : __half(0);
            tile_b[i] = step + y < k && column + x < n ? b[(step + y) * n + column + x] : __half(0);
        }
        __syncwarp();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
        wmma::load_matrix_sync(left, tile_a, 16);
        wmma::load_matrix_sync(right, tile_b, 16);
        wmma::mma_sync(sum, left, right, sum);
        __syncwarp();
    }
    wmma::store_matrix_sync(tile_c, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        if (row + i / 16 < m && column + i % 16 < n) c[(row + i / 16) * n + column + i % 16] = tile_c[i];
}

static std::vector<__half> halves(const std::vector<float> &values) {
    std::vector<__half> results;
    for (float value : values) results.push_back(__float2half(value));
    return results;
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"dot", [](int n) {
            std::vector<float> x = numbers<float>(2 * n, 8), y = numbers<float>(2 * n, 8, 2);
            std::vector<float> expected((n + 511) / 512);
            for (int i = 0; i < 2 * n; i++) expected[i / 1024] += x[i] * y[i];
            Array<__half> a(halves(x)), b(halves(y));
            Array<float> out(expected.size());
            dot<<<int(expected.size()), 128>>>((__half2 *)a.get(), (__half2 *)b.get(), out.get(), n);
            return out.is(expected);
        }},
        {"round_trip", [](int n) {
            std::vector<float> values = numbers<float>(n), expected = counting<float>(n);
            Array<float> in(values), out(n);
            Array<__nv_bfloat16> narrow(n);
            round_trip<<<(n + 63) / 64, 64>>>(in.get(), narrow.get(), out.get(), n);
            return out.is(expected);
        }},
        {"multiply", [](int n) {
            int m = std::min(n, 45), k = std::min(n / 2 + 1, 50), columns = std::min(n / 3 + 1, 37);
            std::vector<float> x = numbers<float>(m * k, 8), y = numbers<float>(k * columns, 8, 2);
            std::vector<float> expected(m * columns);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < columns; j++)
                    for (int l = 0; l < k; l++) expected[i * columns + j] += x[i * k + l] * y[l * columns + j];
            Array<__half> a(halves(x)), b(halves(y));
            Array<float> c(expected.size());
            multiply<<<dim3((columns + 15) / 16, (m + 15) / 16), 32>>>(a.get(), b.get(), c.get(), m, columns, k);
            return c.is(expected);
        }},
    });
}
