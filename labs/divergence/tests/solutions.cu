// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right together: path by a lambda
    float x = in[i];
    auto even = [=] { return path<0>(x, rounds); };
    out[i] = (i & 1) == 0 ? even() : path<1>(x, rounds);

// == right together: switch
    switch (i % 2) {
    case 0: out[i] = path<0>(in[i], rounds); break;
    default: out[i] = path<1>(in[i], rounds);
    }

// == right together: both paths, and one of the results
    float x = __ldg(in + i), a = path<0>(x, rounds), b = path<1>(x, rounds);
    out[i] = i & 1 ? b : a;

// == right apart: number of the pair
// [part apart]
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    int i = pair << 1;
    if (i >= n) return;
    out[i] = path<0>(in[i], rounds);
// [end]
// [part apart]
    int pair = blockIdx.x * blockDim.x + threadIdx.x;
    int i = pair << 1 | 1;
    if (i >= n) return;
    out[i] = path<1>(in[i], rounds);
// [end]

// == right apart: grid-stride loops
// [part apart]
    int step = 2 * gridDim.x * blockDim.x;
    for (int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step) out[i] = path<0>(in[i], rounds);
// [end]
// [part apart]
    int step = 2 * gridDim.x * blockDim.x;
    for (int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1; i < n; i += step) out[i] = path<1>(in[i], rounds);
// [end]

// == right lone: lane by a mask
    int lane = threadIdx.x & 31;
    out[i] = lane < lanes ? path<0>(in[i], rounds) : in[i];

// == right lone: lane from a register
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[i] = in[i];
    if (lane < lanes) out[i] = path<0>(in[i], rounds);

// == right lone: tile of cooperative groups
#include <cooperative_groups.h>
// [part lone]
    auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    float x = in[i];
    if (warp.thread_rank() < lanes) x = path<0>(x, rounds);
    out[i] = x;
// [end]

// == right by-data: early return
    float x = in[i];
    out[i] = x;
    if (x >= 1.0f) return;
    out[i] = path<0>(x, rounds);

// == right by-data: number of rounds by the data
    float x = in[i];
    int mine = x < 1.0f ? rounds : 0;
    out[i] = path<0>(x, mine);

// == right filtered: votes of the warps
// [part filtered]
    if (threadIdx.x < 2) here[threadIdx.x] = 0;
    __syncthreads();
    bool is_costly = i < n && in[i] < 1.0f, is_cheap = i < n && !is_costly;
    unsigned votes[2] = {__ballot_sync(0xffffffffu, is_costly), __ballot_sync(0xffffffffu, is_cheap)};
    unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1, list = is_costly ? 0 : 1;
    int begin[2];
    for (int l = 0; l < 2; l++) {
        if (lane == 0) begin[l] = atomicAdd(&here[l], __popc(votes[l]));
        begin[l] = __shfl_sync(0xffffffffu, begin[l], 0);
    }
    __syncthreads();
    if (threadIdx.x < 2) first[threadIdx.x] = atomicAdd(&counts[threadIdx.x], here[threadIdx.x]);
    __syncthreads();
    if (i < n) lists[list * n + first[list] + begin[list] + __popc(votes[list] & below)] = i;
// [end]

// == right filtered: cooperative groups
#include <cooperative_groups.h>
// [part filtered]
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) {
        here[0] = 0;
        here[1] = 0;
    }
    block.sync();
    int list = 1, place = 0;
    if (i < n) {
        if (in[i] < 1.0f) list = 0;
        place = atomicAdd(here + list, 1);
    }
    block.sync();
    if (block.thread_rank() < 2) first[block.thread_rank()] = atomicAdd(counts + block.thread_rank(), here[block.thread_rank()]);
    block.sync();
    if (i >= n) return;
    int* mine = lists + (list ? n : 0);
    mine[first[list] + place] = i;
// [end]

// == wrong together: paths are exchanged
- i % 2 == 0
+ i % 2 == 1

// == wrong together: one path for all
- path<1>
+ path<0>

// == wrong together: parity of the block
- i % 2 == 0
+ blockIdx.x % 2 == 0

// == wrong together: parity of the value
- i % 2 == 0
+ (int)in[i] % 2 == 0

// == wrong together: even elements alone
- else
- out[i] = path<1>(in[i], rounds);

// == wrong together: rounds are forgotten
- path<1>(in[i], rounds)
+ path<1>(in[i], 1)

// == wrong lone: others are not stored
- out[i] = x;
+ if (threadIdx.x % 32 < lanes) out[i] = x;

// == wrong lone: one lane too many
- threadIdx.x % 32 < lanes
+ threadIdx.x % 32 <= lanes

// == wrong lone: lanes of the block's first warp
- threadIdx.x % 32 < lanes
+ threadIdx.x < lanes

// == wrong lone: warps in place of lanes
- threadIdx.x % 32 < lanes
+ threadIdx.x / 32 < lanes

// == wrong lone: last lanes in place of the first
- threadIdx.x % 32 < lanes
+ 31 - threadIdx.x % 32 < lanes

// == wrong by-data: 1 belongs to the costly ones
- x < 1.0f
+ x <= 1.0f

// == wrong by-data: others are not stored
- out[i] = x;
+ if (x < 1.0f) out[i] = x;

// == wrong by-data: others have the path
- x < 1.0f
+ x >= 1.0f

// == wrong by-data: place in place of the value
- x < 1.0f
+ i < 1

// == wrong by-data: every element has the path
- if (x < 1.0f) x
+ x

// == wrong apart: threads of all elements, each with a question
- int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
- if (i < n)
+ for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) if (i % 2 == 0)

// == wrong apart: odd kernel begins at 0
- threadIdx.x) + 1
+ threadIdx.x)

// == wrong apart: no question about the end
- if (i < n) out
+ out

// == wrong apart: first half and second half
- int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
+ int i = blockIdx.x * blockDim.x + threadIdx.x;
- int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
+ int i = n / 2 + blockIdx.x * blockDim.x + threadIdx.x;

// == wrong apart: brackets are forgotten
- 2 * (blockIdx.x * blockDim.x + threadIdx.x)
+ 2 * blockIdx.x * blockDim.x + threadIdx.x

// == wrong filtered: counts of the block are not set to 0
- if (threadIdx.x == 0) here[0] = here[1] = 0;

// == wrong filtered: no barrier before counting
- here[1] = 0;
- __syncthreads();
+ here[1] = 0;

// == wrong filtered: no barrier before the block's places are taken
- place = atomicAdd(&here[list], 1);
- __syncthreads();
+ place = atomicAdd(&here[list], 1);

// == wrong filtered: no barrier after the block's places are taken
- first[l] = atomicAdd(&counts[l], here[l]);
- __syncthreads();
+ first[l] = atomicAdd(&counts[l], here[l]);

// == wrong filtered: plain addition in the block
- place = atomicAdd(&here[list], 1)
+ place = here[list]++

// == wrong filtered: every thread takes the block's places
- if (threadIdx.x == 0)
- for
+ for

// == wrong filtered: each element takes a place in global memory
- if (i < n) place = atomicAdd(&here[list], 1);
+ if (i < n) place = atomicAdd(&counts[list], 1);
- first[l] = atomicAdd(&counts[l], here[l]);
+ first[l] = 0;

// == wrong filtered: lists overlap
- lists[list * n + first[list] + place]
+ lists[list + first[list] + place]

// == wrong filtered: value in place of its index
- first[list] + place] = i
+ first[list] + place] = (int)in[i]

// == wrong filtered: place in the block alone
- first[list] + place
+ place

// == wrong filtered: threads past the end are listed
- if (i < n) place
+ place
- if (i < n) lists
+ lists

// == wrong filtered: second list is read from its beginning
- lists[n + i]
+ lists[i]
