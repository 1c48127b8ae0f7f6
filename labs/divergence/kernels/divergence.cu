// One kernel for each exercise on divergence. Each body is a template over `taken`, and every counted condition goes
// through `taken`: NAME_plain only tests it, NAME_counted lets the warps vote on it (divergence.cuh).
//
//   picture        one pixel per thread, 2-D bounds
//   vecadd         one element per thread, 1-D bound
//   even_odd       even and odd elements in one kernel, and a test of the data among the odd ones
//   even, odd      like even_odd, but one kernel for the even elements and one for the odd
//   max_next       the largest of the next 16 elements
//   max_next_3d    like max_next, but along x, y and z of a cube
//   average        the mean of 5 through shared memory; two branches load the halo
//   matmul         one matrix element per thread, 2-D bounds
//   interleaved    tree sum, with the working threads farther and farther apart
//   sequential     like interleaved, but the working threads are adjacent
//   brent_kung     the up-sweep of the scan of Brent and Kung
//   kogge_stone    the scan of Kogge and Stone
//   loop_parity    a loop whose length depends on the thread's parity
//   tiled          one phase of the tiled matrix product

#include "divergence.cuh"

// The threads of the sums and scans of one block: each loads two elements, or one, into shared memory.
#define THREADS 1024

template <class If>
__device__ void picture(If taken, const float *in, float *out, int width, int height) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (taken(0, col < width && row < height))
        out[row * width + col] = 2.0f * in[row * width + col];
}

template <class If>
__device__ void vecadd(If taken, const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (taken(0, i < n))
        z[i] = x[i] + y[i];
}

template <class If>
__device__ void even_odd(If taken, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (taken(0, i < n)) {
        if (taken(1, i % 2 == 0)) {
            out[i] = in[i / 2];
        } else {
            if (taken(2, in[i] < 16.0f))
                out[i] = in[n - 1];
            else
                out[i] = in[i];
        }
    }
}

template <class If>
__device__ void even(If taken, const float *in, float *out, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (taken(0, i < n))
        out[i] = in[i / 2];
}

template <class If>
__device__ void odd(If taken, const float *in, float *out, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (taken(0, i < n)) {
        if (taken(1, in[i] < 16.0f))
            out[i] = in[n - 1];
        else
            out[i] = in[i];
    }
}

template <class If>
__device__ void max_next(If taken, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (taken(0, i < n)) {
        float most = in[i];
        int end = min(i + 16, n);
#pragma unroll 1
        for (int j = i; taken(1, j < end); j++)
            most = fmaxf(most, in[j]);
        out[i] = most;
    }
}

template <class If>
__device__ void max_next_3d(If taken, const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int end_x = min(x + 16, n), end_y = min(y + 16, n), end_z = min(z + 16, n);
    float most = in[(z * n + y) * n + x];
#pragma unroll 1
    for (int i = x; taken(0, i < end_x); i++)
        most = fmaxf(most, in[(z * n + y) * n + i]);
#pragma unroll 1
    for (int j = y; taken(1, j < end_y); j++)
        most = fmaxf(most, in[(z * n + j) * n + x]);
#pragma unroll 1
    for (int k = z; taken(2, k < end_z); k++)
        most = fmaxf(most, in[(k * n + y) * n + x]);
    out[(z * n + y) * n + x] = most;
}

// Blocks of 256 threads; n must be a multiple of 256.
template <class If>
__device__ void average(If taken, const float *in, float *out, int n) {
    __shared__ float tile[256 + 4];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t + 2] = in[i];
    if (taken(0, t < 2))
        tile[t] = in[max(i - 2, 0)];
    if (taken(1, t >= 254))
        tile[t + 4] = in[min(i + 2, n - 1)];
    __syncthreads();
    out[i] = (tile[t] + tile[t + 1] + tile[t + 2] + tile[t + 3] + tile[t + 4]) / 5.0f;
}

template <class If>
__device__ void matmul(If taken, const float *m, const float *n, float *p, int width, int depth) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (taken(0, row < width && col < width)) {
        float sum = 0.0f;
        for (int k = 0; k < depth; k++)
            sum += m[row * depth + k] * n[k * width + col];
        p[row * width + col] = sum;
    }
}

// One block. Takes the steps with strides first, 2 first, ..., last of the tree; a launch may take a single step.
template <class If>
__device__ void interleaved(If taken, const float *in, float *out, int first, int last) {
    __shared__ float sums[2 * THREADS];
    int t = threadIdx.x;
    sums[t] = in[t];
    sums[t + THREADS] = in[t + THREADS];
    for (int stride = first; stride <= last; stride *= 2) {
        __syncthreads();
        if (taken(0, t % stride == 0))
            sums[2 * t] += sums[2 * t + stride];
    }
    __syncthreads();
    out[t] = sums[t];
    out[t + THREADS] = sums[t + THREADS];
}

// Takes the steps with strides first, first / 2, ..., last.
template <class If>
__device__ void sequential(If taken, const float *in, float *out, int first, int last) {
    __shared__ float sums[2 * THREADS];
    int t = threadIdx.x;
    sums[t] = in[t];
    sums[t + THREADS] = in[t + THREADS];
    for (int stride = first; stride >= last; stride /= 2) {
        __syncthreads();
        if (taken(0, t < stride))
            sums[t] += sums[t + stride];
    }
    __syncthreads();
    out[t] = sums[t];
    out[t + THREADS] = sums[t + THREADS];
}

template <class If>
__device__ void brent_kung(If taken, const float *in, float *out, int first, int last) {
    __shared__ float sums[2 * THREADS];
    int t = threadIdx.x;
    sums[t] = in[t];
    sums[t + THREADS] = in[t + THREADS];
    for (int stride = first; stride <= last; stride *= 2) {
        __syncthreads();
        int i = (t + 1) * 2 * stride - 1;
        if (taken(0, i < 2 * THREADS))
            sums[i] += sums[i - stride];
    }
    __syncthreads();
    out[t] = sums[t];
    out[t + THREADS] = sums[t + THREADS];
}

template <class If>
__device__ void kogge_stone(If taken, const float *in, float *out, int first, int last) {
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    sums[t] = in[t];
    for (int stride = first; stride <= last; stride *= 2) {
        __syncthreads();
        float before = 0.0f;
        if (taken(0, t >= stride))
            before = sums[t - stride];
        __syncthreads(); // all threads have read before any thread writes
        sums[t] += before;
    }
    out[t] = sums[t];
}

template <class If>
__device__ void loop_parity(If taken, const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int end = i % 2 == 0 ? 4 : 8;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; taken(0, k < end); k++)
        sum += in[i + k];
    out[i] = sum;
}

// Blocks of 16x16 threads. One launch per phase, in order; together they add up the product in p.
template <class If>
__device__ void tiled(If taken, const float *m, const float *n, float *p, int width, int phase) {
    __shared__ float tile_m[16][16], tile_n[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
    tile_m[ty][tx] = 0.0f;
    tile_n[ty][tx] = 0.0f;
    if (taken(0, row < width && phase * 16 + tx < width))
        tile_m[ty][tx] = m[row * width + phase * 16 + tx];
    if (taken(1, phase * 16 + ty < width && col < width))
        tile_n[ty][tx] = n[(phase * 16 + ty) * width + col];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 16; k++)
        sum += tile_m[ty][k] * tile_n[k][tx];
    if (taken(2, row < width && col < width))
        p[row * width + col] += sum;
}

// The entry points: each body plain, and counted.

extern "C" __global__ void picture_plain(const float *in, float *out, int width, int height) {
    picture(Plain(), in, out, width, height);
}
extern "C" __global__ void picture_counted(Counted count, const float *in, float *out, int width, int height) {
    picture(count, in, out, width, height);
}
extern "C" __global__ void vecadd_plain(const float *x, const float *y, float *z, int n) {
    vecadd(Plain(), x, y, z, n);
}
extern "C" __global__ void vecadd_counted(Counted count, const float *x, const float *y, float *z, int n) {
    vecadd(count, x, y, z, n);
}
extern "C" __global__ void even_odd_plain(const float *in, float *out, int n) { even_odd(Plain(), in, out, n); }
extern "C" __global__ void even_odd_counted(Counted count, const float *in, float *out, int n) {
    even_odd(count, in, out, n);
}
extern "C" __global__ void even_plain(const float *in, float *out, int n) { even(Plain(), in, out, n); }
extern "C" __global__ void even_counted(Counted count, const float *in, float *out, int n) {
    even(count, in, out, n);
}
extern "C" __global__ void odd_plain(const float *in, float *out, int n) { odd(Plain(), in, out, n); }
extern "C" __global__ void odd_counted(Counted count, const float *in, float *out, int n) {
    odd(count, in, out, n);
}
extern "C" __global__ void max_next_plain(const float *in, float *out, int n) { max_next(Plain(), in, out, n); }
extern "C" __global__ void max_next_counted(Counted count, const float *in, float *out, int n) {
    max_next(count, in, out, n);
}
extern "C" __global__ void max_next_3d_plain(const float *in, float *out, int n) { max_next_3d(Plain(), in, out, n); }
extern "C" __global__ void max_next_3d_counted(Counted count, const float *in, float *out, int n) {
    max_next_3d(count, in, out, n);
}
extern "C" __global__ void average_plain(const float *in, float *out, int n) { average(Plain(), in, out, n); }
extern "C" __global__ void average_counted(Counted count, const float *in, float *out, int n) {
    average(count, in, out, n);
}
extern "C" __global__ void matmul_plain(const float *m, const float *n, float *p, int width, int depth) {
    matmul(Plain(), m, n, p, width, depth);
}
extern "C" __global__ void matmul_counted(Counted count, const float *m, const float *n, float *p, int width, int depth) {
    matmul(count, m, n, p, width, depth);
}
extern "C" __global__ void interleaved_plain(const float *in, float *out, int first, int last) {
    interleaved(Plain(), in, out, first, last);
}
extern "C" __global__ void interleaved_counted(Counted count, const float *in, float *out, int first, int last) {
    interleaved(count, in, out, first, last);
}
extern "C" __global__ void sequential_plain(const float *in, float *out, int first, int last) {
    sequential(Plain(), in, out, first, last);
}
extern "C" __global__ void sequential_counted(Counted count, const float *in, float *out, int first, int last) {
    sequential(count, in, out, first, last);
}
extern "C" __global__ void brent_kung_plain(const float *in, float *out, int first, int last) {
    brent_kung(Plain(), in, out, first, last);
}
extern "C" __global__ void brent_kung_counted(Counted count, const float *in, float *out, int first, int last) {
    brent_kung(count, in, out, first, last);
}
extern "C" __global__ void kogge_stone_plain(const float *in, float *out, int first, int last) {
    kogge_stone(Plain(), in, out, first, last);
}
extern "C" __global__ void kogge_stone_counted(Counted count, const float *in, float *out, int first, int last) {
    kogge_stone(count, in, out, first, last);
}
extern "C" __global__ void loop_parity_plain(const float *in, float *out) { loop_parity(Plain(), in, out); }
extern "C" __global__ void loop_parity_counted(Counted count, const float *in, float *out) {
    loop_parity(count, in, out);
}
extern "C" __global__ void tiled_plain(const float *m, const float *n, float *p, int width, int phase) {
    tiled(Plain(), m, n, p, width, phase);
}
extern "C" __global__ void tiled_counted(Counted count, const float *m, const float *n, float *p, int width, int phase) {
    tiled(count, m, n, p, width, phase);
}
