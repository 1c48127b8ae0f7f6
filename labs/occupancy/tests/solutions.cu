// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right add: early return
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    z[i] = x[i] + y[i];

// == right add: grid-stride loop and __ldg
    for (unsigned long long i = index(); i < n; i += (unsigned long long)gridDim.x * blockDim.x) z[i] = __ldg(x + i) + __ldg(y + i);

// == right add: cooperative groups
#include <cooperative_groups.h>
// [part add]
    unsigned long long i = cooperative_groups::this_grid().thread_rank();
    if (i < n) z[i] = x[i] + y[i];
// [end]

// == right registers: neighbour by a question
    const unsigned first = x[i];
#pragma unroll
    for (int j = 0; j < LIVE; ++j) v[j] = first * (2u * j + 1u) + j;
#pragma unroll 1
    while (rounds-- > 0) {
#pragma unroll
        for (int j = 0; j < LIVE; ++j) v[j] = 1664525u * v[j] + (j + 1 < LIVE ? v[j + 1] : v[0]);
    }
    unsigned sum = 0;
#pragma unroll
    for (int j = 0; j < LIVE; ++j) sum = 31u * sum + v[j];
    z[i] = sum;

// == right registers: first value goes round in a variable
    unsigned odd = 1;
#pragma unroll
    for (int j = 0; j < LIVE; j++, odd += 2) v[j] = x[i] * odd + j;
#pragma unroll 1
    for (unsigned r = rounds; r > 0; r--) {
#pragma unroll
        for (int j = 0; j + 1 < LIVE; j++) v[j] = v[j] * 1664525u + v[j + 1];
        v[LIVE - 1] = v[LIVE - 1] * 1664525u + v[0];
    }
    unsigned folded = v[0];
#pragma unroll
    for (int j = 1; j < LIVE; j++) folded = folded * 31u + v[j];
    z[i] = folded;

// == right shared: copied four words at a time
    unsigned fours = words / 4;
    for (unsigned j = threadIdx.x; j < fours; j += blockDim.x) ((uint4*)t)[j] = ((const uint4*)table)[j];
    for (unsigned j = 4 * fours + threadIdx.x; j < words; j += blockDim.x) t[j] = table[j];
    __syncthreads();
    unsigned long long i = index();
    if (i < n) {
        unsigned v = x[i];
        for (unsigned r = 0; r < rounds; r++) v = v * 1664525u + t[v % words];
        z[i] = v;
    }

// == right shared: cooperative groups
#include <cooperative_groups.h>
// [part shared]
    auto block = cooperative_groups::this_thread_block();
    for (unsigned j = block.thread_rank(); j < words; j += block.size()) t[j] = __ldg(table + j);
    block.sync();
    for (unsigned long long i = index(); i < n; i += (unsigned long long)gridDim.x * blockDim.x) {
        unsigned v = x[i];
#pragma unroll 2
        for (unsigned r = 0; r < rounds; r++) v = v * 1664525u + t[v % words];
        z[i] = v;
    }
// [end]

// == right shared: word of the table by a quotient
    unsigned j = threadIdx.x;
    while (j < words) {
        t[j] = table[j];
        j += blockDim.x;
    }
    __syncthreads();
    unsigned long long i = index();
    unsigned v = i < n ? x[i] : 0;
    for (unsigned r = 0; r < rounds; r++) {
        unsigned place = v - v / words * words;
        v = v * 1664525u + t[place];
    }
    if (i < n) z[i] = v;

// == right loads: whole steps without questions
    unsigned long long i = 256ull * K * blockIdx.x + threadIdx.x;
#pragma unroll 1
    for (; i + 256 * (K - 1) < n; i += step) {
        unsigned a[K], b[K];
#pragma unroll
        for (int k = 0; k < K; k++) a[k] = x[i + 256 * k], b[k] = y[i + 256 * k];
#pragma unroll
        for (int k = 0; k < K; k++) z[i + 256 * k] = a[k] + b[k];
    }
    for (int k = 0; k < K; k++)
        if (i + 256 * k < n) z[i + 256 * k] = x[i + 256 * k] + y[i + 256 * k];

// == right loads: 0 past the end
    const unsigned* __restrict__ left = x;
#pragma unroll 1
    for (unsigned long long first = 256ull * K * blockIdx.x; first < n; first += step) {
        unsigned sum[K];
#pragma unroll
        for (int k = 0; k < K; k++) {
            unsigned long long i = first + 256 * k + threadIdx.x;
            sum[k] = i < n ? __ldg(left + i) + __ldg(y + i) : 0;
        }
#pragma unroll
        for (int k = 0; k < K; k++)
            if (first + 256 * k + threadIdx.x < n) z[first + 256 * k + threadIdx.x] = sum[k];
    }

// == wrong add: one element too many
- i < n
+ i <= n

// == wrong add: block's number is forgotten
- = index()
+ = threadIdx.x

// == wrong add: difference
- x[i] + y[i]
+ x[i] - y[i]

// == wrong add: sum of 16 bits
- x[i] + y[i]
+ (unsigned short)(x[i] + y[i])

// == wrong add: sum of floats
- x[i] + y[i]
+ (unsigned)((float)x[i] + (float)y[i])

// == wrong add: one thread does everything
    if (index() == 0)
        for (unsigned long long i = 0; i < n; i++) z[i] = x[i] + y[i];

// == wrong registers: loops over j are not unrolled
- #pragma unroll
- for (int j
+ #pragma unroll 1
+ for (int j

// == wrong registers: one loop over j is not unrolled
- #pragma unroll
- for (int j = 0; j < LIVE; j++) folded
+ #pragma unroll 1
+ for (int j = 0; j < LIVE; j++) folded

// == wrong registers: last value has no neighbour
- v[(j + 1) % LIVE]
+ (j + 1 < LIVE ? v[j + 1] : 0)

// == wrong registers: neighbour before
- v[(j + 1) % LIVE]
+ v[(j + LIVE - 1) % LIVE]

// == wrong registers: neighbours as they were before the round
- for (unsigned r = 0; r < rounds; r++) {
+ for (unsigned r = 0; r < rounds; r++) {
+ unsigned first = v[0];
- v[(j + 1) % LIVE];
- }
+ (j + 1 < LIVE ? v[j + 1] : first);
+ }

// == wrong registers: one round too many
- r < rounds;
+ r <= rounds;

// == wrong registers: folded from the end
- for (int j = 0; j < LIVE; j++) folded
+ for (int j = LIVE - 1; j >= 0; j--) folded

// == wrong registers: last value alone
- folded = folded * 31u + v[j]
+ folded = v[j]

// == wrong shared: no barrier
- __syncthreads();

// == wrong shared: threads past the end leave before the barrier
- for (unsigned j = threadIdx.x;
+ if (index() >= n) return;
+ for (unsigned j = threadIdx.x;

// == wrong shared: one word a thread
- for (unsigned j = threadIdx.x; j < words; j += blockDim.x)
+ unsigned j = threadIdx.x;
+ if (j < words)

// == wrong shared: table by the number in the grid
- j = threadIdx.x;
+ j = index();

// == wrong shared: one word too many
- j < words;
+ j <= words;

// == wrong shared: looked up in global memory
- t[v % words]
+ table[v % words]

// == wrong shared: place without the remainder
- t[v % words]
+ t[v]

// == wrong shared: one step past the first element
- v = x[i];
+ v = x[0];

// == wrong shared: each thread copies all of the table
- for (unsigned j = threadIdx.x; j < words; j += blockDim.x)
+ for (unsigned j = 0; j < words; j++)

// == wrong loads: one step
- for (unsigned long long i = 256ull * K * blockIdx.x + threadIdx.x; i < n; i += step) {
+ unsigned long long i = 256ull * K * blockIdx.x + threadIdx.x;
+ {

// == wrong loads: blocks overlap
- 256ull * K * blockIdx.x
+ 256ull * blockIdx.x

// == wrong loads: pairs are K apart
- i + 256 * k
+ i + K * k

// == wrong loads: side by side in a thread
- 256ull * K * blockIdx.x + threadIdx.x
+ 256ull * K * blockIdx.x + K * threadIdx.x
- i + 256 * k
+ i + k

// == wrong loads: loads are not asked about
- if (i + 256 * k < n) a[k]
+ a[k]

// == wrong loads: stores are not asked about
- if (i + 256 * k < n) z
+ z

// == wrong loads: first pair of a thread alone is asked about
- i + 256 * k < n)
+ i < n)

// == wrong loads: goes on by the block alone
- i += step
+ i += 256 * K
