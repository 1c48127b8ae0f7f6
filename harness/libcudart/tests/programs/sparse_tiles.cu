// Products by a warp of which the first factor is sparse: of each four neighbours in a row two are kept, and a word of each
// thread says which. Halves and bytes; the words change from row to row and come from either pair of threads.
// nvcc: -arch=sm_80
#include "common.cuh"
#include <cstdint>
#include <cuda_fp16.h>

const int ROWS = 16, COLUMNS = 8, DEPTH = 32;

// a: 16 rows of the 16 numbers that are kept. b: 32 rows of 8. words: one for each thread.
template <int SELECTOR> __global__ void halves(const __half *a, const __half *b, const uint32_t *words, float *c) {
    int lane = threadIdx.x, row = lane / 4, part = lane % 4;
    uint32_t left[4], right[4];
    for (int k = 0; k < 4; k++)
        left[k] = *(const uint32_t *)(a + (row + k % 2 * 8) * 16 + part * 2 + k / 2 * 8);
    for (int k = 0; k < 4; k++) {
        __half2 pair = __halves2half2(b[(part * 2 + k * 8) * 8 + row], b[(part * 2 + k * 8 + 1) * 8 + row]);
        right[k] = *(uint32_t *)&pair;
    }
    float d[4] = {};
    asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, %13;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]), "r"(right[2]),
                   "r"(right[3]), "r"(words[lane]), "n"(SELECTOR));
    for (int k = 0; k < 4; k++) c[(row + k / 2 * 8) * 8 + part * 2 + k % 2] = d[k];
}

int main() {
    __half *a, *b;
    uint32_t *words;
    float *c;
    OK(cudaMallocManaged(&a, ROWS * DEPTH / 2 * sizeof *a));
    OK(cudaMallocManaged(&b, DEPTH * COLUMNS * sizeof *b));
    OK(cudaMallocManaged(&words, 32 * sizeof *words));
    OK(cudaMallocManaged(&c, ROWS * COLUMNS * sizeof *c));
    for (int i = 0; i < ROWS * DEPTH / 2; i++) a[i] = __float2half(i % 7 - 3);
    for (int i = 0; i < DEPTH * COLUMNS; i++) b[i] = __float2half(i % 5 - 2);
    // The pairs of places that two of four may have.
    const int places[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int selector = 0; selector < 2; selector++) {
        int place[ROWS][DEPTH / 2];
        for (int lane = 0; lane < 32; lane++) words[lane] = 0x44444444;
        for (int row = 0; row < ROWS; row++)
            for (int group = 0; group < DEPTH / 4; group++) {
                const int *pair = places[(row * 5 + group * 3 + selector) % 6];
                for (int k = 0; k < 2; k++) place[row][2 * group + k] = 4 * group + pair[k];
                // A thread of the chosen pair describes a row's first or second half of the depth.
                int lane = row % 8 * 4 + selector * 2 + group / 4, at = row / 8 * 16 + group % 4 * 4;
                words[lane] = (words[lane] & ~(15u << at)) | uint32_t(pair[0] | pair[1] << 2) << at;
            }
        if (selector == 0) halves<0><<<1, 32>>>(a, b, words, c);
        else halves<1><<<1, 32>>>(a, b, words, c);
        OK(cudaGetLastError());
        OK(cudaDeviceSynchronize());
        int wrong = 0;
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                float sum = 0;
                for (int k = 0; k < DEPTH / 2; k++)
                    sum += __half2float(a[i * DEPTH / 2 + k]) * __half2float(b[place[i][k] * COLUMNS + j]);
                wrong += c[i * COLUMNS + j] != sum;
            }
        printf("selector %d: %d sums are wrong\n", selector, wrong);
    }
}
