// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right warp: smaller or larger by min and max
    K key = largest<K>();
    if (i < n) key = x[i];
#pragma unroll
    for (unsigned k = 2; k <= 32; k <<= 1)
#pragma unroll
        for (unsigned j = k; j > 1; j >>= 1) {
            unsigned partner = j == k ? lane ^ (k - 1) : lane ^ (j / 2);
            K other = __shfl_sync(0xffffffffu, key, partner);
            key = lane < partner ? min(key, other) : max(key, other);
        }
    if (i < n) out[i] = key;

// == right warp: directions in place of flips
    K key = i < n ? x[i] : largest<K>();
    for (unsigned k = 2; k <= 32; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            K other = __shfl_xor_sync(all_lanes, key, j);
            bool ascends = (lane & k) == 0 || k == 32, is_lower = (lane & j) == 0;
            key = (ascends == is_lower) == (key < other) ? key : other;
        }
    if (i < n) out[i] = key;

// == right warp: odd and even neighbours
    K key = i < n ? x[i] : largest<K>();
    for (unsigned round = 0; round < 32; round++) {
        unsigned partner = (lane % 2 == round % 2) ? lane + 1 : lane - 1;
        K other = __shfl_sync(all_lanes, key, partner % 32);
        if (partner < 32 && (other < key) == (partner > lane)) key = other;
    }
    if (i < n) out[i] = key;

// == right warp: rank by counting, and a shuffle to its place
    K key = i < n ? x[i] : largest<K>();
    unsigned rank = 0;
#pragma unroll
    for (unsigned from = 0; from < 32; from++) {
        K other = __shfl_sync(all_lanes, key, from);
        rank += other < key || (other == key && from < lane);
    }
    K mine = key;
    for (unsigned to = 0; to < 32; to++) {
        unsigned from = __ffs(__ballot_sync(all_lanes, rank == to)) - 1;
        K moved = __shfl_sync(all_lanes, key, from);
        if (lane == to) mine = moved;
    }
    if (i < n) out[i] = mine;

// == right block: keys and their partners written out
    unsigned size = 2 * blockDim.x;
    for (unsigned k = 4; k <= size; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            unsigned low = t / j * 2 * j + t % j, high = j == k / 2 ? low ^ (k - 1) : low + j;
            K a = s[low], b = s[high];
            if (b < a) {
                s[low] = b;
                s[high] = a;
            }
        }
    }

// == right block: cooperative groups
#include <cooperative_groups.h>
// [part block]
    auto block = cooperative_groups::this_thread_block();
    for (unsigned half = 2; half <= block.size(); half += half) {
        block.sync();
        unsigned low = upper(t, half);
        order(s[low], s[flipped(low, half)]);
        for (unsigned j = half / 2; j > 0; j /= 2) {
            block.sync();
            low = upper(t, j);
            order(s[low], s[low + j]);
        }
    }
// [end]

// == right block: loops over keys and not over comparators
    unsigned size = 2 * blockDim.x;
    for (unsigned k = 4; k <= size; k *= 2)
        for (unsigned j = k / 2; j > 0; j >>= 1) {
            __syncthreads();
            for (unsigned i = t; i < size; i += blockDim.x) {
                unsigned partner = j == k / 2 ? i ^ (k - 1) : i ^ j;
                if (partner > i) order(s[i], s[partner]);
            }
        }

// == right grid: keys and their partners written out
// [part grid]
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t low = t / half * 2 * half + t % half, high = low ^ (2 * half - 1);
    if (high < n && x[high] < x[low]) {
        K key = x[low];
        x[low] = x[high];
        x[high] = key;
    }
// [end]
// [part grid]
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t low = t / j * 2 * j + t % j, high = low + j;
    if (high >= n) return;
    K a = x[low], b = x[high];
    x[low] = min(a, b);
    x[high] = max(a, b);
// [end]

// == right grid: last half-cleaners written out
// [part grid]
    size_t a = upper((size_t)grid_index(), half);
    if (flipped(a, half) >= n) return;
    order(x[a], x[flipped(a, half)]);
// [end]
// [part grid]
    size_t a = upper((size_t)grid_index(), j), b = a + j;
    if (b >= n) return;
    order(x[a], x[b]);
// [end]
// [part grid]
    size_t first = 2 * (size_t)blockIdx.x * blockDim.x;
    unsigned t = threadIdx.x;
    s[t] = first + t < n ? x[first + t] : largest<K>();
    s[t + blockDim.x] = first + t + blockDim.x < n ? x[first + t + blockDim.x] : largest<K>();
    for (unsigned j = blockDim.x; j > 0; j >>= 1) {
        __syncthreads();
        unsigned a = upper(t, j);
        order(s[a], s[a + j]);
    }
    __syncthreads();
    if (first + t < n) x[first + t] = s[t];
    if (first + t + blockDim.x < n) x[first + t + blockDim.x] = s[t + blockDim.x];
// [end]

// == right grid: tiles in global memory
// [part grid]
    size_t a = upper((size_t)grid_index(), half), b = flipped(a, half);
    if (b < n) order(x[a], x[b]);
// [end]
// [part grid]
    size_t a = upper((size_t)grid_index(), j);
    if (a < n && a + j < n) order(x[a], x[a + j]);
// [end]
// [part grid]
    for (size_t j = blockDim.x; j > 0; j /= 2) {
        size_t a = upper((size_t)grid_index(), j);
        if (a + j < n) order(x[a], x[a + j]);
        __syncthreads();
    }
// [end]

// == wrong warp: larger key first
- (key < other) ? key : other;
+ (key > other) ? key : other;

// == wrong warp: one merge alone
- unsigned k = 2; k <= 32
+ unsigned k = 32; k <= 32

// == wrong warp: last merge is left out
- k <= 32;
+ k < 32;

// == wrong warp: no flips
- __shfl_xor_sync(all_lanes, key, k - 1)
+ __shfl_xor_sync(all_lanes, key, k / 2)

// == wrong warp: no half-cleaners
- other = __shfl_xor_sync(all_lanes, key, j);
- key = ((lane & j) == 0) == (key < other) ? key : other;

// == wrong warp: half-cleaners begin one step late
- unsigned j = k / 4
+ unsigned j = k / 8

// == wrong warp: both partners keep the smaller key
- ((lane & j) == 0) == (key < other)
+ key < other

// == wrong warp: keys past the end are 0
- : largest<K>()
+ : K(0)

// == wrong warp: lanes past the end do not come
- K key = i < n ? x[i] : largest<K>();
+ if (i >= n) return;
+ K key = x[i];

// == wrong warp: keys with a sign
- (key < other) ? key : other;
+ ((long long)(key << (64 - 8 * sizeof(K))) < (long long)(other << (64 - 8 * sizeof(K)))) ? other : key;

// == wrong warp: no question about the end
- if (i < n) out[i] = key
+ out[i] = key

// == wrong warp: partners meet in shared memory
    __shared__ K keys[1024];
    K* mine = keys + threadIdx.x - lane;
    mine[lane] = i < n ? x[i] : largest<K>();
    for (unsigned k = 2; k <= 32; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            __syncwarp();
            unsigned partner = j == k / 2 ? lane ^ (k - 1) : lane ^ j;
            K a = mine[lane], b = mine[partner];
            __syncwarp();
            mine[lane] = (lane < partner) == (a < b) ? a : b;
        }
    if (i < n) out[i] = mine[lane];

// == wrong block: no barrier before the flip
- __syncthreads();

// == wrong block: last merge is left out
- half <= blockDim.x
+ half < blockDim.x

// == wrong block: no half-cleaners
- clean(s, half / 2);

// == wrong block: half-cleaners repeat the first distance
- clean(s, half / 2);
+ for (unsigned j = half / 2; j > 0; j--) { __syncthreads(); unsigned b = upper(t, half / 2); order(s[b], s[b + half / 2]); }

// == wrong block: flip without turning
- s[flipped(a, half)]
+ s[a + half]

// == wrong block: partner of the other half
- flipped(a, half)
+ flipped(a, 2 * half) % (2 * blockDim.x)

// == wrong block: half the threads work
- order(s[a], s[flipped(a, half)]);
+ if (t < blockDim.x / 2) order(s[a], s[flipped(a, half)]);

// == wrong block: barrier inside of a branch
- __syncthreads();
+ if (t % 2 == 0) __syncthreads();

// == wrong block: distances grow by one
- half *= 2
+ half++

// == wrong grid: comparators with a key past the end
- if (partner < n) order
+ order

// == wrong grid: last key is never compared
- partner < n
+ partner + 1 < n

// == wrong grid: flip without turning
- flipped(a, half);
+ a + half;

// == wrong grid: half-cleaner is a flip
- order(x[a], x[a + j])
+ order(x[a], x[flipped(a, j)])

// == wrong grid: comparators are counted in the block
- (size_t)grid_index()
+ (size_t)threadIdx.x

// == wrong grid: first key alone is asked about
- if (a + j < n)
+ if (a < n)

// == wrong grid: tiles are not stored
- store_tile(s, x, n);

// == wrong grid: tiles are not cleaned
- clean(s, blockDim.x);

// == wrong grid: larger key first
- order(x[a], x[partner])
+ order(x[partner], x[a])
