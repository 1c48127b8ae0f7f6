// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right atomic: early return
    long long i = thread_index();
    if (i <= 0 || i >= n) return;
    atomicAdd(sum, f(a + i * h));

// == right atomic: function that the lab has
    float y = inner(a, h, n, thread_index());
    if (y != 0.0f) atomicAdd(sum, y);

// == right atomic: number from 1 on
    long long i = thread_index() + 1;
    if (i < n) {
        float x = a + h * i;
        atomicAdd(sum, x * x + 1.0f);
    }

// == right atomic: fused multiply and add
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = fmaf((float)i, h, a);
    if (i > 0 && i < (int)n) atomicAdd(sum, fmaf(x, x, 1.0f));

// == right atomic: 0 is added beyond the ends
    atomicAdd(sum, inner(a, h, n, thread_index()));

// == right atomic: warp adds up first
    float y = warp_sum(inner(a, h, n, thread_index()));
    if (threadIdx.x % 32 == 0) atomicAdd(sum, y);

// == right shared-32: partner by a mask
    volatile float* v = words;
    for (int distance = 16; distance > 0; distance >>= 1) {
        float other = v[((lane + distance) & 31) * spread];
        __syncwarp();
        v[lane * spread] = v[lane * spread] + other;
        __syncwarp();
    }

// == right shared-32: partner by exclusive or
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        float mine = words[lane * spread], other = words[(lane ^ distance) * spread];
        __syncwarp();
        words[lane * spread] = mine + other;
        __syncwarp();
    }

// == right shared-32: tile of cooperative groups
#include <cooperative_groups.h>
// [part shared-32]
    auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    for (int distance = 16; distance > 0; distance /= 2) {
        float sum = words[lane * spread] + words[(lane + distance) % 32 * spread];
        warp.sync();
        words[lane * spread] = sum;
        warp.sync();
    }
// [end]

// == right shared-32: tree, and then one word for all
    for (int distance = 16; distance > 0; distance /= 2) {
        if (lane < distance) words[lane * spread] += words[(lane + distance) * spread];
        __syncwarp();
    }
    float sum = words[0];
    __syncwarp();
    words[lane * spread] = sum;
    __syncwarp();

// == right shuffle: exclusive or, so that all lanes have the sum
    float v = inner(a, h, n, thread_index());
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask);
    if (lane == 0) warp_sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < warps ? warp_sums[lane] : 0.0f;
#pragma unroll
        for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask);
        if (lane == 0) atomicAdd(sum, v);
    }

// == right shuffle: reduce of cooperative groups
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
// [part shuffle]
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    float v = cg::reduce(tile, inner(a, h, n, thread_index()), cg::plus<float>());
    if (tile.thread_rank() == 0) warp_sums[tile.meta_group_rank()] = v;
    block.sync();
    if (tile.meta_group_rank() == 0) {
        v = cg::reduce(tile, lane < tile.meta_group_size() ? warp_sums[lane] : 0.0f, cg::plus<float>());
        if (tile.thread_rank() == 0) atomicAdd(sum, v);
    }
// [end]

// == right shuffle: first lane adds up the warps alone
    float total = warp_sum(inner(a, h, n, thread_index()));
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < warps; w++) total += warp_sums[w];
        atomicAdd(sum, total);
    }

// == right shuffle: the last warp to arrive has nothing to add, the others leave
    float total = inner(a, h, n, thread_index());
    for (int d = 1; d < 32; d <<= 1) total += __shfl_down_sync(ALL_LANES, total, d);
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();
    if (warp > 0) return;
    float v = 0.0f;
    if (lane < warps) v = warp_sums[lane];
    v = warp_sum(v);
    if (lane == 0) atomicAdd(sum, v);

// == right grid-stride: while loop
    float total = 0.0f;
    long long i = thread_index();
    if (i == 0) i += stride;
    while (i < n) {
        total += f(a + i * h);
        i += stride;
    }
    total = warp_sum(total);
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();
    if (warp == 0) {
        total = warp_sum(lane < warps ? warp_sums[lane] : 0.0f);
        if (lane == 0) atomicAdd(sum, total);
    }

// == right grid-stride: all points are asked about, unrolled
    float total = 0.0f;
#pragma unroll 4
    for (long long i = thread_index(); i < n; i += stride) total += inner(a, h, n, i);
    total = warp_sum(total);
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();
    total = threadIdx.x < warps ? warp_sums[lane] : 0.0f;
    if (warp == 0) total = warp_sum(total);
    if (threadIdx.x == 0) atomicAdd(sum, total);

// == right grid-stride: a stretch for each thread
    long long share = (n - 1 + stride - 1) / stride, first = 1 + thread_index() * share;
    float total = 0.0f;
    for (long long i = first; i < min(first + share, n); i++) total += f(a + i * h);
    total = warp_sum(total);
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();
    if (warp == 0) {
        total = warp_sum(lane < warps ? warp_sums[lane] : 0.0f);
        if (lane == 0) atomicAdd(sum, total);
    }

// == right compensated: Neumaier's sum
// [part compensated]
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(ALL_LANES, value, distance);
    if (lane == 0) warp_sums[warp] = value;
    __syncthreads();
    value = lane < warps ? warp_sums[lane] : 0.0;
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(ALL_LANES, value, distance);
// [end]
// [part compensated]
    float total = 0.0f, lost = 0.0f;
    for (long long i = 1 + thread_index(); i < n; i += stride) {
        float term = f(a + i * h), next = total + term;
        if (fabsf(total) >= fabsf(term))
            lost += (total - next) + term;
        else
            lost += (term - next) + total;
        total = next;
    }
    double of_block = block_sum((double)total + lost);
    if (threadIdx.x == 0) atomicAdd(sum, of_block);
// [end]

// == right compensated: Kahan's sum with a difference
- f(a + i * h) + lost
+ f(a + i * h) - lost
- lost = term - (next - total);
+ lost = (next - total) - term;
- (double)total + (double)lost
+ (double)total - (double)lost

// == wrong atomic: first point is counted again
- 0 < i && i < n
+ i < n

// == wrong atomic: last point is counted again
- 0 < i && i < n
+ 0 < i && i <= n

// == wrong atomic: both ends are counted twice
- 0 < i && i < n
+ i <= n

// == wrong atomic: no question about the end
- 0 < i && i < n
+ 0 < i

// == wrong atomic: plain addition
- atomicAdd(sum, f(a + i * h))
+ *sum += f(a + i * h)

// == wrong atomic: block's number is forgotten
- thread_index()
+ threadIdx.x

// == wrong atomic: middles of the intervals
- f(a + i * h)
+ f(a + (i - 0.5f) * h)

// == wrong atomic: point without its offset
- f(a + i * h)
+ f(i * h)

// == wrong atomic: host's factor, too
- f(a + i * h)
+ h * f(a + i * h)

// == wrong atomic: function of another example
- f(a + i * h)
+ (a + i * h) * (a + i * h)

// == wrong shared-32: no barrier between reading and writing
    for (int distance = 16; distance > 0; distance /= 2) {
        words[lane * spread] += words[(lane + distance) % 32 * spread];
        __syncwarp();
    }

// == wrong shared-32: no barrier before the next step
- words[lane * spread] = sum;
- __syncwarp();
+ words[lane * spread] = sum;

// == wrong shared-32: neighbour beyond the warp
- (lane + distance) % 32
+ lane + distance

// == wrong shared-32: one step too few
- distance > 0
+ distance > 1

// == wrong shared-32: begins with 32
- int distance = 16
+ int distance = 32

// == wrong shared-32: lanes below alone
- words[lane * spread] = sum;
+ if (lane < distance) words[lane * spread] = sum;
- int distance = 16; distance > 0; distance /= 2
+ int distance = 1; distance < 32; distance *= 2

// == wrong shared-32: barrier inside of a branch
- words[lane * spread] = sum;
- __syncwarp();
+ words[lane * spread] = sum;
+ if (lane < distance) __syncwarp();

// == wrong shuffle: no barrier before the warps' sums are read
- __syncthreads();

// == wrong shuffle: barrier inside of a branch
- if (lane == 0) warp_sums[warp] = total;
- __syncthreads();
+ if (lane == 0) {
+ warp_sums[warp] = total;
+ __syncthreads();
+ }

// == wrong shuffle: warp's barrier in place of the block's
- __syncthreads();
+ __syncwarp();

// == wrong shuffle: sums of warps that are not there
- lane < warps ? warp_sums[lane] : 0.0f
+ warp_sums[lane]

// == wrong shuffle: threads past the end leave
- float total = warp_sum(inner(a, h, n, thread_index()));
+ if (thread_index() >= n) return;
+ float total = warp_sum(inner(a, h, n, thread_index()));

// == wrong shuffle: sum of the first warp alone
- if (lane == 0) warp_sums[warp] = total;
+ if (threadIdx.x == 0) warp_sums[warp] = total;

// == wrong shuffle: all lanes add the sum
- if (lane == 0) atomicAdd
+ atomicAdd

// == wrong shuffle: plain addition of the blocks' sums
- atomicAdd(sum, total)
+ *sum += total

// == wrong shuffle: each warp adds for itself, as in 2
    float total = warp_sum(inner(a, h, n, thread_index()));
    if (lane == 0) atomicAdd(sum, total);

// == wrong shuffle: each thread adds for itself, as in 1
    long long i = thread_index();
    if (0 < i && i < n) atomicAdd(sum, f(a + i * h));

// == wrong grid-stride: begins with the end that the host has
- 1 + thread_index()
+ thread_index()

// == wrong grid-stride: one point a thread
- for (long long i = 1 + thread_index(); i < n; i += stride)
+ long long i = 1 + thread_index();
+ if (i < n)

// == wrong grid-stride: goes on by the block alone
- i += stride
+ i += blockDim.x

// == wrong grid-stride: last point is counted again
- i < n;
+ i <= n;

// == wrong grid-stride: keeps the last point alone
- total += f(a + i * h)
+ total = f(a + i * h)

// == wrong grid-stride: no barrier before the warps' sums are read
- __syncthreads();

// == wrong grid-stride: each thread adds for itself
    for (long long i = 1 + thread_index(); i < n; i += stride) atomicAdd(sum, f(a + i * h));

// == wrong grid-stride: one thread does everything
    if (thread_index() == 0) {
        float total = 0.0f;
        for (long long i = 1; i < n; i++) total += f(a + i * h);
        atomicAdd(sum, total);
    }

// == wrong grid-stride: formula that knows the sum
    if (thread_index() == 0) {
        double m = (double)n - 1, s = a, w = h;
        *sum += m * (s * s + 1) + s * w * m * n + w * w * m * n * (2.0 * n - 1) / 6;
    }

// == wrong compensated: plain sum of floats
- float term = f(a + i * h) + lost;
- float next = total + term;
- lost = term - (next - total);
- total = next;
+ total += f(a + i * h);

// == wrong compensated: what was lost has the wrong sign
- f(a + i * h) + lost
+ f(a + i * h) - lost

// == wrong compensated: what was lost is never added
- f(a + i * h) + lost
+ f(a + i * h)

// == wrong compensated: sums of warps that are not there
- lane < warps ? warp_sums[lane] : 0.0
+ warp_sums[lane]

// == wrong compensated: all threads add the block's sum
- if (threadIdx.x == 0) atomicAdd
+ atomicAdd

// == wrong compensated: no barrier before the warps' sums are read
- __syncthreads();
