// y = A x in float: A is m x k, stored row by row. Each element of A is used once, so memory bandwidth is the limit.
//
//  matvec_naive  a thread computes one element of y. The lanes of a warp read k floats apart: every
//                load of A touches 32 different cache lines.
//  matvec        like matvec_naive, but a warp computes one element: its lanes read adjacent floats, sum
//                their parts and add them by shuffles; four float4 are in flight where rows are aligned.

extern "C" __global__ void matvec_naive(const float* A, const float* x, float* y, unsigned m, unsigned k) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) return;
    float sum = 0.0f;
    for (unsigned q = 0; q < k; q++) sum += A[(size_t)row * k + q] * x[q];
    y[row] = sum;
}

__device__ float dot4(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// The block's size must be a multiple of the warp's.
extern "C" __global__ void matvec(const float* A, const float* x, float* y, unsigned m, unsigned k) {
    unsigned lane = threadIdx.x % 32;
    size_t row = blockIdx.x * (size_t)(blockDim.x / 32) + threadIdx.x / 32;
    if (row >= m) return;  // the whole warp leaves
    const float* a = A + row * k;
    float sum = 0.0f;
    if (k % 4 == 0) {
        const float4 *a4 = (const float4*)a, *x4 = (const float4*)x;
        float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
        unsigned n4 = k / 4, q = lane;
        for (; n4 > 96 && q < n4 - 96; q += 128) {
            float4 u0 = a4[q], u1 = a4[q + 32], u2 = a4[q + 64], u3 = a4[q + 96];
            s0 += dot4(u0, x4[q]);
            s1 += dot4(u1, x4[q + 32]);
            s2 += dot4(u2, x4[q + 64]);
            s3 += dot4(u3, x4[q + 96]);
        }
        for (; q < n4; q += 32) s0 += dot4(a4[q], x4[q]);
        sum = (s0 + s1) + (s2 + s3);
    } else {
        for (unsigned q = lane; q < k; q += 32) sum += a[q] * x[q];
    }
    for (unsigned step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) y[row] = sum;
}
