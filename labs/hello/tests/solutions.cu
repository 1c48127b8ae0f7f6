// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right blocks: numbers without a sign, kept in variables
    unsigned t = threadIdx.x, b = blockIdx.x;
    printf("Hello from thread %u in block %u!\n", t, b);

// == right blocks: numbers from the one in the grid
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("Hello from thread %d in block %d!\n", i % blockDim.x, i / blockDim.x);

// == right blocks: helper function
__device__ void greet(int thread, int block) { printf("Hello from thread %d in block %d!\n", thread, block); }
// [part blocks]
    greet(threadIdx.x, blockIdx.x);
// [end]

// == right blocks: cooperative groups
#include <cooperative_groups.h>
// [part blocks]
    auto block = cooperative_groups::this_thread_block();
    printf("Hello from thread %d in block %d!\n", block.thread_rank(), block.group_index().x);
// [end]

// == right blocks: text as a constant
__constant__ char hello_text[] = "Hello from thread %d in block %d!\n";
// [part blocks]
    printf("Hello from thread %d in block %d!%c", (int)threadIdx.x, (int)blockIdx.x, 10);
// [end]

// == right grid3d: all written out
    unsigned t = threadIdx.z * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x;
    unsigned b = blockIdx.z * gridDim.y * gridDim.x + blockIdx.y * gridDim.x + blockIdx.x;
    unsigned i = b * blockDim.x * blockDim.y * blockDim.z + t;
    printf("Hello from thread (%d,%d,%d) in block (%d,%d,%d): index %d, warp %d, lane %d\n", threadIdx.x, threadIdx.y,
           threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z, i, t / 32, t % 32);

// == right grid3d: ranks of cooperative groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// [part grid3d]
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    uint3 t = threadIdx, b = blockIdx;
    printf("Hello from thread (%u,%u,%u) in block (%u,%u,%u): index %llu, warp %u, lane %u\n", t.x, t.y, t.z, b.x, b.y,
           b.z, grid.thread_rank(), block.thread_rank() / warpSize, block.thread_rank() % warpSize);
// [end]

// == right grid3d: shifts and masks
    unsigned t = thread_in_block(), size = blockDim.x * blockDim.y * blockDim.z;
    printf("Hello from thread (%u,%u,%u) in block (%u,%u,%u): index %u, warp %u, lane %u\n", threadIdx.x, threadIdx.y,
           threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z, size * block_in_grid() + t, t >> 5, t & 31);

// == right ranks: two words at a time
    unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
    ((uint2*)places)[rank] = make_uint2(blockIdx.x, threadIdx.x);

// == right ranks: pointer that goes on
    unsigned* place = places + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    *place++ = blockIdx.x;
    *place = threadIdx.x;

// == right ranks: grid of cooperative groups
#include <cooperative_groups.h>
// [part ranks]
    unsigned rank = cooperative_groups::this_grid().thread_rank();
    places[2 * rank] = rank / blockDim.x;
    places[2 * rank + 1] = rank % blockDim.x;
// [end]

// == right index-maps: loop over the two elements
    if (thread < n) owner[thread] = thread;
#pragma unroll
    for (unsigned k = 0; k < 2; k++) {
        unsigned near = 2 * thread + k, far = (2 * blockIdx.x + k) * blockDim.x + threadIdx.x;
        if (near < n) owner[elements + near] = thread;
        if (far < n) owner[2 * elements + far] = thread;
    }

// == right index-maps: function that asks
__device__ void take(unsigned* owner, unsigned at, unsigned n, unsigned thread) {
    if (at >= n) return;
    owner[at] = thread;
}
// [part index-maps]
    unsigned section = 2 * blockDim.x * blockIdx.x + threadIdx.x;
    take(owner, thread, n, thread);
    take(owner + elements, thread * 2, n, thread);
    take(owner + elements, thread * 2 + 1, n, thread);
    take(owner + 2 * elements, section, n, thread);
    take(owner + 2 * elements, section + blockDim.x, n, thread);
// [end]

// == right index-maps: two rows of the result
    unsigned *pairs = owner + elements, *sections = pairs + elements;
    int i = thread, j = 2 * i, k = i + blockIdx.x * blockDim.x;
    if (i < n) owner[i] = i;
    if (j < n) pairs[j] = i;
    if (++j < n) pairs[j] = i;
    if (k < n) sections[k] = i;
    if ((k += blockDim.x) < n) sections[k] = i;

// == right warp-starts: lane from the thread's number
    unsigned thread = thread_in_block(), count = blockDim.x * blockDim.y * blockDim.z;
    unsigned warp = thread / 32, lane = thread % 32, lanes = min(32u, count - warp * 32);
    if (lane == 0) {
        ends[6 * warp + 0] = threadIdx.x;
        ends[6 * warp + 1] = threadIdx.y;
        ends[6 * warp + 2] = threadIdx.z;
    }
    if (lane == lanes - 1) {
        ends[6 * warp + 3] = threadIdx.x;
        ends[6 * warp + 4] = threadIdx.y;
        ends[6 * warp + 5] = threadIdx.z;
    }

// == right warp-starts: lanes that are there vote
    unsigned here = __activemask(), lane = lane_id(), warp = thread_in_block() / 32;
    unsigned at[3] = {threadIdx.x, threadIdx.y, threadIdx.z};
    bool first = lane == __ffs(here) - 1, last = lane == 31 - __clz(here);
    for (int k = 0; k < 3; k++) {
        if (first) ends[6 * warp + k] = at[k];
        if (last) ends[6 * warp + 3 + k] = at[k];
    }

// == right warp-starts: numbers of the next thread's warp
    unsigned thread = thread_in_block(), threads = blockDim.x * blockDim.y * blockDim.z, warp = thread >> 5;
    uint3* of_warp = (uint3*)ends + 2 * warp;
    if (thread % 32 == 0) of_warp[0] = threadIdx;
    if ((thread + 1) / 32 > warp || thread + 1 == threads) of_warp[1] = threadIdx;

// == wrong blocks: block and thread are exchanged
- threadIdx.x, blockIdx.x
+ blockIdx.x, threadIdx.x

// == wrong blocks: size of the block in place of its number
- blockIdx.x)
+ blockDim.x)

// == wrong blocks: number in the whole grid
- threadIdx.x, blockIdx.x
+ blockIdx.x * blockDim.x + threadIdx.x, blockIdx.x

// == wrong blocks: first thread of each block alone
- printf(
+ if (threadIdx.x == 0) printf(

// == wrong blocks: end of the line is missing
- !\n"
+ !"

// == wrong blocks: text is another
- Hello from thread %d in block %d!
+ Hello from block %d, thread %d!

// == wrong blocks: one argument is missing
- threadIdx.x, blockIdx.x
+ blockIdx.x

// == wrong grid3d: z varies fastest
    unsigned thread = (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    printf("Hello from thread (%u,%u,%u) in block (%u,%u,%u): index %u, warp %u, lane %u\n", threadIdx.x, threadIdx.y,
           threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z, block_in_grid() * threads + thread, thread / 32, lane_id());

// == wrong grid3d: number in the block in place of the grid
- block_in_grid() * threads + thread,
+ thread,

// == wrong grid3d: rows of blocks are forgotten
- block_in_grid() * threads
+ blockIdx.x * threads

// == wrong grid3d: warp from threadIdx.x alone
- thread / 32
+ threadIdx.x / 32

// == wrong grid3d: lane from threadIdx.x alone
- lane_id()
+ threadIdx.x % 32

// == wrong grid3d: threads of a block from x and y alone
- blockDim.x * blockDim.y * blockDim.z
+ blockDim.x * blockDim.y

// == wrong grid3d: warps of 16 threads
- thread / 32
+ thread / 16

// == wrong ranks: number of blocks in place of their size
- blockIdx.x * blockDim.x
+ blockIdx.x * gridDim.x

// == wrong ranks: columns are counted first
- blockIdx.x * blockDim.x + threadIdx.x;
+ threadIdx.x * gridDim.x + blockIdx.x;

// == wrong ranks: one word for each rank
- places[2 * rank
+ places[rank

// == wrong ranks: words are exchanged
- = blockIdx.x;
+ = threadIdx.x + 0;
- = threadIdx.x;
+ = blockIdx.x;

// == wrong ranks: block's number is forgotten
- blockIdx.x * blockDim.x + threadIdx.x
+ threadIdx.x

// == wrong ranks: ranks begin at 1
- blockIdx.x * blockDim.x + threadIdx.x
+ blockIdx.x * blockDim.x + threadIdx.x + 1

// == wrong index-maps: half a block apart
- apart + blockDim.x
+ apart + blockDim.x / 2

// == wrong index-maps: sections of one block's width
- 2 * blockIdx.x * blockDim.x
+ blockIdx.x * blockDim.x

// == wrong index-maps: neighbours overlap
- side_by_side = 2 * thread
+ side_by_side = thread

// == wrong index-maps: second element is not asked about
- if (side_by_side + 1 < n)

// == wrong index-maps: both elements or none
- if (side_by_side < n)
+ if (side_by_side + 1 < n)

// == wrong index-maps: element in place of the thread
- owner[2 * elements + apart] = thread
+ owner[2 * elements + apart] = apart

// == wrong index-maps: way 1 where way 2 belongs
- owner[2 * elements +
+ owner[elements +

// == wrong warp-starts: last warp is taken for a whole one
- lane_id() == 31 || thread == last
+ lane_id() == 31

// == wrong warp-starts: last thread of the block alone
- lane_id() == 31 || thread == last
+ thread == last

// == wrong warp-starts: warps from threadIdx.x alone
- 6 * (thread / 32)
+ 6 * (threadIdx.x / 32)

// == wrong warp-starts: lane from threadIdx.x alone
- lane_id()
+ threadIdx.x % 32

// == wrong warp-starts: three words a warp
- 6 * (thread / 32)
+ 3 * (thread / 32)

// == wrong warp-starts: last lane is 32
- lane_id() == 31
+ lane_id() == 32

// == wrong warp-starts: x and z are exchanged
- end[0] = threadIdx.x
+ end[2] = threadIdx.x
- end[2] = threadIdx.z
+ end[0] = threadIdx.z
