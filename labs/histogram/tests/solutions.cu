// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right atomic: while loop
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(counts + bin, 1);
        i += (size_t)blockDim.x * gridDim.x;
    }

// == right atomic: __ldg, unrolled by pragma
    const byte* __restrict__ t = text;
#pragma unroll 4
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(__ldg(t + i));
        if (bin >= Kind::bins) continue;
        atomicAdd(&counts[bin], (count)1);
    }

// == right atomic: PTX, and backwards
    unsigned long long last = n;
    for (size_t i = grid_index(); i < n; i += grid_threads()) last = i;
    for (size_t i = last; i < n; i -= grid_threads()) {
        unsigned bin = Kind::bin(__ldg(text + i));
        if (bin < Kind::bins) asm volatile("red.global.add.u64 [%0], 1;" ::"l"(counts + bin) : "memory");
    }

// == right atomic: four bytes at a time
    auto count_one = [=](unsigned c) {
        unsigned bin = Kind::bin(c);
        if (bin < Kind::bins) atomicAdd(&counts[bin], 1ull);
    };
    const uchar4* fours = (const uchar4*)text;
    for (size_t i = grid_index(); i < n / 4; i += grid_threads()) {
        uchar4 c = fours[i];
        count_one(c.x), count_one(c.y), count_one(c.z), count_one(c.w);
    }
    for (size_t i = n / 4 * 4 + grid_index(); i < n; i += grid_threads()) count_one(text[i]);

// == right matched: votes for one bin after the other
    for (size_t first = grid_index() - lane; first < n; first += grid_threads()) {
        unsigned bin = first + lane < n ? Kind::bin(text[first + lane]) : Kind::bins;
        for (unsigned left = mask; left != 0;) {
            unsigned wanted = __shfl_sync(mask, bin, __ffs(left) - 1);
            unsigned same = __ballot_sync(mask, bin == wanted);
            if (lane == 31 - __clz(same) && bin < Kind::bins) atomicAdd(&counts[bin], (count)__popc(same));
            left &= ~same;
        }
    }

// == right matched: first of the lanes by __ffs
    size_t step = grid_threads();
    for (size_t i = grid_index(); i - lane < n; i += step) {
        unsigned bin = Kind::bins;
        if (i < n) bin = Kind::bin(text[i]);
        unsigned peers = __match_any_sync(mask, bin);
        if (bin < Kind::bins && __ffs(peers) - 1 == lane) atomicAdd(counts + bin, __popc(peers));
    }

// == right matched: labelled partition of cooperative groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// [part matched]
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        auto same = cg::labeled_partition(cg::coalesced_threads(), bin);
        if (same.thread_rank() == 0 && bin < Kind::bins) atomicAdd(&counts[bin], (count)same.size());
    }
// [end]

// == right privatized: thread block of cooperative groups, and a stretch of the text for each block
#include <cooperative_groups.h>
// [part privatized]
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    for (unsigned bin = block.thread_rank(); bin < Kind::bins; bin += block.size()) s[bin] = 0;
    block.sync();
    size_t share = (n + gridDim.x - 1) / gridDim.x, end = min((unsigned long long)n, (blockIdx.x + 1ull) * share);
    for (size_t i = blockIdx.x * share + threadIdx.x; i < end; i += blockDim.x) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicInc(&s[bin], 0xffffffffu);
    }
    block.sync();
    for (unsigned bin = block.thread_rank(); bin < Kind::bins; bin += block.size()) {
        if (s[bin] > 0) atomicAdd(&counts[bin], (count)s[bin]);
    }
// [end]

// == right privatized: zeros are added too
    for (unsigned b = threadIdx.x; b < Kind::bins; b += blockDim.x) s[b] = 0;
    __syncthreads();
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(s + bin, 1u);
    }
    __syncthreads();
    for (unsigned b = threadIdx.x; b < Kind::bins; b += blockDim.x) atomicAdd(&counts[b], (count)s[b]);

// == right privatized: warps send one atomic for lanes of one bin
    zero(s, Kind::bins);
    unsigned lane = threadIdx.x % 32;
    for (size_t first = grid_index() - lane; first < n; first += grid_threads()) {
        unsigned bin = first + lane < n ? Kind::bin(text[first + lane]) : Kind::bins;
        unsigned same = __match_any_sync(__activemask(), bin);
        if (bin < Kind::bins && lane == __ffs(same) - 1) atomicAdd(&s[bin], __popc(same));
    }
    add_up(s, Kind::bins, 1, 1, 0, counts);

// == right reduced: blocks of cooperative groups, and lanes that exchange by exclusive or
#include <cooperative_groups.h>
// [part reduced]
    auto block = cooperative_groups::this_thread_block();
    for (unsigned b = block.thread_rank(); b < Kind::bins; b += block.size()) s[b] = 0u;
    block.sync();
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(&s[bin], 1);
    }
    block.sync();
    unsigned* mine = partial + blockIdx.x;
    for (unsigned b = block.thread_rank(); b < Kind::bins; b += block.size()) mine[(size_t)b * gridDim.x] = s[b];
// [end]
// [part reduced]
    const unsigned* row = partial + blockIdx.x * blocks;
    count sum = 0;
    for (unsigned b = threadIdx.x; b < blocks; b += blockDim.x) sum += row[b];
#pragma unroll
    for (unsigned mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(~0u, sum, mask);
    if (threadIdx.x == 0) counts[blockIdx.x] = sum;
// [end]

// == right reduced: join in shared memory
// [part reduced]
    zero(s, Kind::bins);
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(&s[bin], 1);
    }
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < Kind::bins; bin += blockDim.x) partial[bin * gridDim.x + blockIdx.x] = s[bin];
// [end]
// [part reduced]
    __shared__ count words[32];
    count sum = 0;
    for (unsigned b = threadIdx.x; b < blocks; b += 32) sum += partial[blockIdx.x * blocks + b];
    words[threadIdx.x] = sum;
    for (unsigned half = 16; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) words[threadIdx.x] += words[threadIdx.x + half];
    }
    if (threadIdx.x == 0) counts[blockIdx.x] = words[0];
// [end]

// == right lanes: one byte at a time
    unsigned lane = threadIdx.x & 31;
    for (unsigned w = threadIdx.x; w < 32 * Kind::rows; w += blockDim.x) s[w] = 0;
    __syncthreads();
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(&s[bin * 32 + lane], 1);
    }
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < Kind::bins; bin += blockDim.x) {
        count sum = 0;
        for (unsigned k = 0; k < 32; k++) sum += s[bin * 32 + (k + bin) % 32];
        atomicAdd(&counts[bin], sum);
    }

// == right lanes: 16 bytes at a time
    unsigned(*of_lane)[32] = (unsigned(*)[32])s;
    unsigned lane = threadIdx.x % warpSize;
    zero(s, Kind::rows * 32);
    for (size_t i = grid_index(); i < n / 16; i += grid_threads()) {
        uint4 w = ((const uint4*)text)[i];
        unsigned words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
        for (int k = 0; k < 16; k++) atomicAdd(&of_lane[Kind::bin(words[k / 4] >> 8 * (k % 4) & 255)][lane], 1u);
    }
    for (size_t i = n / 16 * 16 + grid_index(); i < n; i += grid_threads()) atomicAdd(&of_lane[Kind::bin(text[i])][lane], 1u);
    add_up(s, Kind::bins, 32, 32, 1, counts);

// == wrong atomic: plain addition
- atomicAdd(&counts[bin], 1ull);
+ counts[bin] += 1;

// == wrong atomic: reads, adds and writes back
- atomicAdd(&counts[bin], 1ull);
+ { count now = counts[bin]; counts[bin] = now + 1; }

// == wrong atomic: bytes that have no bin are counted
- if (bin < Kind::bins)

// == wrong atomic: last bin is left out
- bin < Kind::bins
+ bin + 1 < Kind::bins

// == wrong atomic: one byte a thread
- for (size_t i = grid_index(); i < n; i += grid_threads()) {
+ size_t i = grid_index();
+ if (i < n) {

// == wrong atomic: goes on by the block alone
- i += grid_threads()
+ i += blockDim.x

// == wrong atomic: one byte too many
- i < n;
+ i <= n;

// == wrong atomic: all blocks begin at 0
- size_t i = grid_index()
+ size_t i = threadIdx.x

// == wrong atomic: bin from the byte itself
- Kind::bin(text[i])
+ text[i] % Kind::bins

// == wrong atomic: counts the place and not the byte
- Kind::bin(text[i])
+ Kind::bin(i)

// == wrong atomic: one thread does everything
    if (grid_index() == 0)
        for (size_t i = 0; i < n; i++) {
            unsigned bin = Kind::bin(text[i]);
            if (bin < Kind::bins) counts[bin] += 1;
        }

// == wrong matched: each lane for itself, as in 3
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(&counts[bin], 1ull);
    }

// == wrong matched: all lanes send the atomic
- leads && bin < Kind::bins
+ bin < Kind::bins

// == wrong matched: first lane sends 1
- (count)__popc(same)
+ 1ull

// == wrong matched: lane 0 sends for all
- (same & ((1u << lane) - 1)) == 0
+ lane == 0

// == wrong matched: lanes past the end read on
- first + lane < n ? Kind::bin(text[first + lane]) : Kind::bins
+ Kind::bin(text[first + lane])

// == wrong matched: lanes past the end count the first bin
- : Kind::bins;
+ : 0;

// == wrong matched: lanes meet those of other places in the warp
- __match_any_sync(mask, bin)
+ __match_any_sync(mask, bin / 2)

// == wrong privatized: counts are not set to zero
- zero(s, Kind::bins);
+ __syncthreads();

// == wrong privatized: no barrier after the zeros
- zero(s, Kind::bins);
+ for (unsigned b = threadIdx.x; b < Kind::bins; b += blockDim.x) s[b] = 0;

// == wrong privatized: no barrier before the counts are read
- add_up(s, Kind::bins, 1, 1, 0, counts);
+ for (unsigned b = threadIdx.x; b < Kind::bins; b += blockDim.x) atomicAdd(&counts[b], (count)s[b]);

// == wrong privatized: plain addition in shared memory
- atomicAdd(&s[bin], 1);
+ s[bin] += 1;

// == wrong privatized: plain addition at the end
- add_up(s, Kind::bins, 1, 1, 0, counts);
+ __syncthreads();
+ for (unsigned b = threadIdx.x; b < Kind::bins; b += blockDim.x) counts[b] += s[b];

// == wrong privatized: counts of a block are never added
- add_up(s, Kind::bins, 1, 1, 0, counts);

// == wrong privatized: all threads add all counts
- add_up(s, Kind::bins, 1, 1, 0, counts);
+ __syncthreads();
+ for (unsigned b = 0; b < Kind::bins; b++) atomicAdd(&counts[b], (count)s[b]);

// == wrong privatized: counts in global memory, as in 3
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(&counts[bin], 1ull);
    }

// == wrong reduced: bins of a block lie side by side
- partial[bin * gridDim.x + blockIdx.x]
+ partial[blockIdx.x * Kind::bins + bin]

// == wrong reduced: zeros are not stored
- blockDim.x) partial[
+ blockDim.x) if (s[bin] > 0) partial[

// == wrong reduced: no barrier before the counts are stored
- }
- __syncthreads();
+ }

// == wrong reduced: lane 0 adds up its own blocks alone
- for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);

// == wrong reduced: one bin for all
- counts[blockIdx.x] = sum
+ counts[0] = sum

// == wrong reduced: atomics, as in 5
- blockDim.x) partial[bin * gridDim.x + blockIdx.x] = s[bin];
+ blockDim.x) {
+ if (blockIdx.x == 0) for (unsigned b = 0; b < gridDim.x; b++) atomicExch(&partial[bin * gridDim.x + b], 0u);
+ }
+ for (unsigned bin = threadIdx.x; bin < Kind::bins; bin += blockDim.x)
+ atomicAdd(&partial[bin * gridDim.x + blockIdx.x], s[bin]);

// == wrong lanes: one copy after the other
- s + threadIdx.x % 32, 32);
+ s + threadIdx.x % 32 * Kind::rows, 1);
- add_up(s, Kind::bins, 32, 32, 1, counts)
+ add_up(s, Kind::bins, 1, 32, Kind::rows, counts)

// == wrong lanes: one copy for each warp, as in 7
- s + threadIdx.x % 32, 32);
+ s + threadIdx.x / 32 * Kind::rows, 1);
- add_up(s, Kind::bins, 32, 32, 1, counts)
+ add_up(s, Kind::bins, 1, 32, Kind::rows, counts)

// == wrong lanes: one copy for all
- s + threadIdx.x % 32, 32);
+ s, 32);

// == wrong lanes: copies are not set to zero
- zero(s, 32 * Kind::rows);
+ __syncthreads();

// == wrong lanes: one copy alone is set to zero
- zero(s, 32 * Kind::rows)
+ zero(s, Kind::rows)

// == wrong lanes: one copy alone is added up
- add_up(s, Kind::bins, 32, 32, 1, counts)
+ add_up(s, Kind::bins, 32, 1, 1, counts)

// == wrong lanes: copies overlap
- s + threadIdx.x % 32, 32);
+ s + threadIdx.x % 32, 1);
- add_up(s, Kind::bins, 32, 32, 1, counts)
+ add_up(s, Kind::bins, 1, 32, 1, counts)

// == wrong lanes: plain addition
    unsigned lane = threadIdx.x % 32;
    zero(s, 32 * Kind::rows);
    for (size_t i = grid_index(); i < n; i += grid_threads()) s[Kind::bin(text[i]) * 32 + lane]++;
    add_up(s, Kind::bins, 32, 32, 1, counts);
