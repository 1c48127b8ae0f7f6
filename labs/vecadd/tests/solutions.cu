// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right add: early return
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    z[i] = x[i] + y[i];

// == right add: int index
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (int)n) z[i] = x[i] + y[i];

// == right add: grid-stride loop
    for (unsigned long long i = grid_index(); i < n; i += grid_threads()) z[i] = x[i] + y[i];

// == right add: restrict pointers and __ldg
    const float *__restrict__ a = x, *__restrict__ b = y;
    unsigned long long i = grid_index();
    if (i < n) z[i] = __ldg(a + i) + __ldg(b + i);

// == right add: 2-D indices
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x, thread = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned long long i = (unsigned long long)block * blockDim.x * blockDim.y + thread;
    if (i < n) z[i] = x[i] + y[i];

// == right add: warp and lane
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    unsigned long long i = 32ull * warp + lane;
    if (i < n) z[i] = x[i] + y[i];

// == right add: template with a functor
struct Plus {
    __device__ float operator()(float a, float b) const { return a + b; }
};
template <class F>
__device__ void transform(const float *x, const float *y, float *z, unsigned long long n, F f) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = f(x[i], y[i]);
}
// [part add]
    transform(x, y, z, n, Plus());
// [end]

// == right add: thread block of cooperative groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// [part add]
    cg::thread_block block = cg::this_thread_block();
    unsigned long long i = (unsigned long long)block.group_index().x * block.size() + block.thread_rank();
    if (i < n) z[i] = x[i] + y[i];
// [end]

// == right add: four floats a thread, where there are as many
    unsigned long long i = 4 * grid_index();
    if (i + 3 < n) {
        float4 a = *(const float4*)(x + i), b = *(const float4*)(y + i);
        *(float4*)(z + i) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    } else {
        for (; i < n; i++) z[i] = x[i] + y[i];
    }

// == right add: asynchronous copies to shared memory
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
// [part add]
    __shared__ float a[1024], b[1024];
    unsigned long long i = grid_index();
    if (i < n) {
        __pipeline_memcpy_async(&a[threadIdx.x], x + i, 4);
        __pipeline_memcpy_async(&b[threadIdx.x], y + i, 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (i < n) z[i] = a[threadIdx.x] + b[threadIdx.x];
// [end]

// == right add: PTX, and the grid from its end on
    unsigned long long i = grid_threads() - 1 - grid_index();
    asm volatile(
        "{ .reg .pred past; .reg .f32 a, b;\n"
        "setp.ge.u64 past, %0, %1;\n"
        "@past bra done;\n"
        "ld.global.nc.f32 a, [%2];\n"
        "ld.global.L1::no_allocate.f32 b, [%3];\n"
        "add.rn.f32 a, a, b;\n"
        "st.global.cs.f32 [%4], a;\n"
        "done: }" ::"l"(i), "l"(n), "l"(x + i), "l"(y + i), "l"(z + i) : "memory");

// == right add: warps draw tickets for the next 32 elements, in whatever order they come
// The last ticket winds the counter back.
__device__ unsigned next_ticket;

template <class F>
__device__ void for_each_of_warp(unsigned long long n, F&& f) {
    unsigned lane = threadIdx.x % 32, warps = gridDim.x * ((blockDim.x + 31) / 32), ticket = 0;
    if (lane == 0) ticket = atomicInc(&next_ticket, warps - 1);
    ticket = __shfl_sync(__activemask(), ticket, 0);
    for (unsigned long long i = 32ull * ticket + lane; i < n; i += 32ull * warps) f(i);
}
// [part add]
    for_each_of_warp(n, [=](unsigned long long i) { z[i] = x[i] + y[i]; });
// [end]

// == right stride: while loop
    unsigned long long i = grid_index(), step = grid_threads();
    while (i < n) {
        z[i] = x[i] + y[i];
        i += step;
    }

// == right stride: grid of cooperative groups
#include <cooperative_groups.h>
// [part stride]
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) z[i] = x[i] + y[i];
// [end]

// == right stride: float4, and the rest one by one
    unsigned long long fours = n / 4;
    for (unsigned long long i = grid_index(); i < fours; i += grid_threads()) {
        float4 a = __ldg((const float4*)x + i), b = __ldg((const float4*)y + i);
        ((float4*)z)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
    for (unsigned long long i = 4 * fours + grid_index(); i < n; i += grid_threads()) z[i] = x[i] + y[i];

// == right stride: backwards
    long long step = grid_threads(), i = grid_index();
    if (i < n) i += (n - 1 - i) / step * step;
    else return;
    for (; i >= 0; i -= step) z[i] = x[i] + y[i];

// == right stride: unrolled by pragma
    int step = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) z[i] = x[i] + y[i];

// == right stride: each block takes one stretch, side by side
    unsigned long long stretch = (n + gridDim.x - 1) / gridDim.x;
    unsigned long long first = blockIdx.x * stretch, end = min(first + stretch, n);
    for (unsigned long long i = first + threadIdx.x; i < end; i += blockDim.x) z[i] = x[i] + y[i];

// == right stride: number of rounds is the same for all threads
    unsigned long long rounds = (n + grid_threads() - 1) / grid_threads();
    for (unsigned long long round = 0; round < rounds; round++) {
        unsigned long long i = round * grid_threads() + grid_index();
        if (i < n) z[i] = x[i] + y[i];
    }

// == right stride: warps draw tickets
__device__ unsigned next_ticket;
// [part stride]
    unsigned lane = threadIdx.x % 32, warps = gridDim.x * ((blockDim.x + 31) / 32), ticket = 0;
    if (lane == 0) ticket = atomicInc(&next_ticket, warps - 1);
    ticket = __shfl_sync(0xffffffffu, ticket, 0);
    for (unsigned long long i = 32ull * ticket + lane; i < n; i += 32ull * warps) z[i] = x[i] + y[i];
// [end]

// == wrong add: one element too many
- if (i < n)
+ if (i <= n)

// == wrong add: no question about the end
- if (i < n)

// == wrong add: last element is left out
- if (i < n)
+ if (i + 1 < n)

// == wrong add: block's number is forgotten
    unsigned long long i = threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];

// == wrong add: gridDim in place of blockDim
    unsigned long long i = (unsigned long long)blockIdx.x * gridDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];

// == wrong add: thread and block are exchanged
    unsigned long long i = (unsigned long long)threadIdx.x * blockDim.x + blockIdx.x;
    if (i < n) z[i] = x[i] + y[i];

// == wrong add: one vector twice
- x[i] + y[i]
+ x[i] + x[i]

// == wrong add: sum is kept as an int
    unsigned long long i = grid_index();
    int sum = i < n ? x[i] + y[i] : 0;
    if (i < n) z[i] = sum;

// == wrong add: sum is kept in half precision
#include <cuda_fp16.h>
// [part add]
    unsigned long long i = grid_index();
    if (i < n) z[i] = __half2float(__hadd(__float2half(x[i]), __float2half(y[i])));
// [end]

// == wrong add: adds to what the output held before
- z[i] = x[i] + y[i]
+ z[i] += x[i] + y[i]

// == wrong add: size of the text book's example
- if (i < n)
+ if (i < 1000)

// == wrong add: grid is counted from 1
- = grid_index()
+ = grid_index() + 1

// == wrong add: four floats a thread, and no rest
    unsigned long long i = grid_index();
    if (i < n / 4) {
        float4 a = ((const float4*)x)[i], b = ((const float4*)y)[i];
        ((float4*)z)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }

// == wrong add: last four floats go over the end
    unsigned long long i = grid_index();
    if (4 * i < n) {
        float4 a = ((const float4*)x)[i], b = ((const float4*)y)[i];
        ((float4*)z)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }

// == wrong add: thread 0 of each block alone
    if (threadIdx.x == 0)
        for (unsigned long long i = grid_index(); i < grid_index() + blockDim.x && i < n; i++) z[i] = x[i] + y[i];

// == wrong add: one thread does everything
    if (grid_index() == 0)
        for (unsigned long long i = 0; i < n; i++) z[i] = x[i] + y[i];

// == wrong add: every thread does everything
    for (unsigned long long i = 0; i < n; i++) z[i] = x[i] + y[i];

// == wrong add: result stays in a variable of the thread
    unsigned long long i = grid_index();
    float sum = 0;
    if (i < n) sum = x[i] + y[i];

// == wrong add: semicolon is missing
    unsigned long long i = grid_index()
    if (i < n) z[i] = x[i] + y[i];

// == wrong stride: one step, as in part add
- for (unsigned long long i = grid_index(); i < n; i += grid_threads())
+ unsigned long long i = grid_index();
+ if (i < n)

// == wrong stride: one step too many
- i < n
+ i <= n

// == wrong stride: goes on by one more than the grid
- i += grid_threads()
+ i += grid_threads() + 1

// == wrong stride: goes on by the block alone
- i += grid_threads()
+ i += blockDim.x

// == wrong stride: goes on by the number of blocks
- i += grid_threads()
+ i += gridDim.x

// == wrong stride: all blocks begin at 0
- i = grid_index(); i < n; i += grid_threads()
+ i = threadIdx.x; i < n; i += blockDim.x

// == wrong stride: last step is asked for by subtraction without a sign
- i < n;
+ i <= n - grid_threads();

// == wrong stride: share of a thread is rounded down
    unsigned long long share = n / grid_threads();
    for (unsigned long long k = 0; k < share; k++) {
        unsigned long long i = k * grid_threads() + grid_index();
        z[i] = x[i] + y[i];
    }

// == wrong stride: returns after the first element
- z[i] = x[i] + y[i];
+ { z[i] = x[i] + y[i]; return; }

// == wrong stride: never goes on
- i += grid_threads()
