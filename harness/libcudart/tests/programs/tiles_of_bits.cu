// Products of tiles of single bits and of numbers of four bits by a warp: by the library's fragments, and by the
// instruction itself in its larger shapes. All sums are exact.
// nvcc: -arch=sm_80
#include "common.cuh"
#include <mma.h>

using namespace nvcuda;
namespace small = nvcuda::wmma::experimental;

__global__ void bits(const unsigned *a, const unsigned *b, int *c) {
    wmma::fragment<wmma::matrix_a, 8, 8, 128, small::precision::b1, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, small::precision::b1, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
    wmma::fill_fragment(sum, 3);
    wmma::load_matrix_sync(left, a, 128);
    wmma::load_matrix_sync(right, b, 128);
    wmma::bmma_sync(sum, left, right, sum, small::bmmaBitOpAND);
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

template <typename T> __global__ void quarters(const unsigned *a, const unsigned *b, int *c) {
    wmma::fragment<wmma::matrix_a, 8, 8, 32, T, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, T, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
    wmma::fill_fragment(sum, 5);
    wmma::load_matrix_sync(left, a, 32);
    wmma::load_matrix_sync(right, b, 32);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

// A product of 16 by 8 numbers, each sum over 32 bytes of a row and a column.
#define LARGE(name, form)                                                                                              \
    __global__ void name(const unsigned *a, const unsigned *b, int *c) {                                               \
        int lane = threadIdx.x, row = lane / 4, part = lane % 4, d[4] = {1, 2, 3, 4};                                  \
        asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"       \
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                  \
                     : "r"(a[row * 8 + part]), "r"(a[(row + 8) * 8 + part]), "r"(a[row * 8 + part + 4]),               \
                       "r"(a[(row + 8) * 8 + part + 4]), "r"(b[row * 8 + part]), "r"(b[row * 8 + part + 4]));          \
        for (int k = 0; k < 4; k++) c[(row + k / 2 * 8) * 8 + part * 2 + k % 2] = d[k];                                \
    }
LARGE(large_bits, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
LARGE(large_signed, "m16n8k64.row.col.s32.s4.s4.s32")
LARGE(large_mixed, "m16n8k64.row.col.satfinite.s32.u4.s4.s32")

// The sum of products of the numbers in `words` words, which are bits, or four bits with a sign or without.
static int product(const unsigned *a, const unsigned *b, int words, char left, char right) {
    auto number = [](unsigned word, int k, char kind) {
        int value = word >> 4 * k & 15;
        return kind == 's' && value > 7 ? value - 16 : value;
    };
    int sum = 0;
    for (int w = 0; w < words; w++) {
        if (left == 'b') sum += __builtin_popcount(a[w] & b[w]);
        else
            for (int k = 0; k < 8; k++) sum += number(a[w], k, left) * number(b[w], k, right);
    }
    return sum;
}

int main() {
    unsigned *a, *b;
    int *c;
    OK(cudaMallocManaged(&a, 16 * 8 * 4));
    OK(cudaMallocManaged(&b, 16 * 8 * 4));
    OK(cudaMallocManaged(&c, 16 * 8 * 4));
    for (unsigned i = 0; i < 128; i++) a[i] = i * 0x9e3779b9u, b[i] = i * 0x85ebca6bu + 7;
    auto is_right = [&](int rows, int words, int start, char left, char right) {
        OK(cudaGetLastError());
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < 8; j++) {
                int from = start ? start : 1 + j % 2 + i / 8 * 2;
                IS(c[i * 8 + j] == from + product(a + i * words, b + j * words, words, left, right));
            }
    };
    bits<<<1, 32>>>(a, b, c);
    is_right(8, 4, 3, 'b', 'b');
    quarters<small::precision::s4><<<1, 32>>>(a, b, c);
    is_right(8, 4, 5, 's', 's');
    quarters<small::precision::u4><<<1, 32>>>(a, b, c);
    is_right(8, 4, 5, 'u', 'u');
    large_bits<<<1, 32>>>(a, b, c);
    is_right(16, 8, 0, 'b', 'b');
    large_signed<<<1, 32>>>(a, b, c);
    is_right(16, 8, 0, 's', 's');
    large_mixed<<<1, 32>>>(a, b, c);
    is_right(16, 8, 0, 'u', 's');
    puts("tiles of bits and of quarters of bytes are right");
}
