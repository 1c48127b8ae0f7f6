// Bitonic sorting networks: which keys are compared does not depend on the keys.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//   1  bitonic-warp   32 keys a warp, one a lane: partners meet by shuffles; x is sorted in runs of 32
//   2  bitonic-block  like 1, but two keys a thread in shared memory: runs of twice the block
//   3  bitonic-grid   like 2, then merges over all of memory: the whole of x, for any n
//   4  no-barrier     wrong on purpose: like 2, but without the barrier between two steps
//   5  unpadded       wrong on purpose: like 3, but it compares with keys past the end of x
//
// 4 and 5 are not handed out.
//
// A merge of k keys begins with a flip: key i meets key k - 1 - i. Then follow half-cleaners: key i meets key i + j, for
// j = k/4, k/8, ..., 1. Every comparator puts the smaller key first, so keys past the end, which count as the largest,
// never move: a comparator with one of them does nothing. Blocks of 2 to 5 have a power of two of threads; dynamic
// shared memory holds two keys a thread. n and all distances have 64 bits.
#include "index.cuh"
#include "place.cuh"

template <class K> __device__ K largest() { return ~K(0); }

// ---- 1
template <class K>
__device__ void bitonic_warp(const K* x, K* out, size_t n) {
    size_t i = grid_index();
    unsigned lane = lane_id();
    // [part warp] Sort the warp's 32 keys, one a lane, by the network that is described above. Partners meet by
    // shuffles. Past the end of x a key counts as the largest.
    K key = i < n ? x[i] : largest<K>();
#pragma unroll
    for (unsigned k = 2; k <= 32; k *= 2) {
        K other = __shfl_xor_sync(all_lanes, key, k - 1); // the flip
        key = ((lane & (k / 2)) == 0) == (key < other) ? key : other;
#pragma unroll
        for (unsigned j = k / 4; j > 0; j /= 2) {
            other = __shfl_xor_sync(all_lanes, key, j);
            key = ((lane & j) == 0) == (key < other) ? key : other;
        }
    }
    if (i < n) out[i] = key;
    // [end]
}

extern "C" __global__ void bitonic_warp_u32(const unsigned* x, unsigned* out, size_t n) { bitonic_warp(x, out, n); }
extern "C" __global__ void bitonic_warp_u64(const word* x, word* out, size_t n) { bitonic_warp(x, out, n); }

// ---- 2
template <class K>
__device__ void order(K& a, K& b) {
    K x = a, y = b;
    if (y < x) {
        a = y;
        b = x;
    }
}

// The first key of comparator t, of those whose keys are j apart: key t / j * 2 * j + t % j. j is a power of two.
template <class I> __device__ I upper(I t, I j) { return 2 * t - (t & (j - 1)); }

// The key that a flip compares with key a of the first half of its 2 * half keys: all lower bits are the other way.
template <class I> __device__ I flipped(I a, I half) { return a ^ (2 * half - 1); }

extern __shared__ word shared_words[];

// Half-cleaners of the keys in shared memory, for distances j, j/2, ..., 1.
template <class K>
__device__ void clean(K* s, unsigned j) {
    for (unsigned t = threadIdx.x; j > 0; j /= 2) {
        __syncthreads();
        unsigned a = upper(t, j);
        order(s[a], s[a + j]);
    }
}

// The block's tile: two keys a thread, the largest past the end.
template <class K>
__device__ void load_tile(const K* x, size_t n, K* s) {
    unsigned t = threadIdx.x, size = 2 * blockDim.x;
    size_t first = (size_t)blockIdx.x * size;
    for (unsigned i = t; i < size; i += blockDim.x) s[i] = first + i < n ? x[first + i] : largest<K>();
}

template <class K>
__device__ void store_tile(const K* s, K* out, size_t n) {
    unsigned t = threadIdx.x, size = 2 * blockDim.x;
    size_t first = (size_t)blockIdx.x * size;
    __syncthreads();
    for (unsigned i = t; i < size; i += blockDim.x)
        if (first + i < n) out[first + i] = s[i];
}

template <class K>
__device__ void bitonic_block(const K* x, K* out, size_t n) {
    K* s = (K*)shared_words;
    unsigned t = threadIdx.x;
    load_tile(x, n, s);
    __syncthreads();
    order(s[2 * t], s[2 * t + 1]); // the merge of 2 keys is a single comparator
    // [part block] Merge on in shared memory: 4 keys, 8, ..., 2 * blockDim.x. Each merge is a flip, in which a thread
    // has one comparator, and then half-cleaners.
    for (unsigned half = 2; half <= blockDim.x; half *= 2) {
        __syncthreads();
        unsigned a = upper(t, half);
        order(s[a], s[flipped(a, half)]);
        clean(s, half / 2);
    }
    // [end]
    store_tile(s, out, n);
}

extern "C" __global__ void bitonic_block_u32(const unsigned* x, unsigned* out, size_t n) { bitonic_block(x, out, n); }
extern "C" __global__ void bitonic_block_u64(const word* x, word* out, size_t n) { bitonic_block(x, out, n); }

// ---- 3: bitonic_block sorts the tiles; then, for each k, a flip and half-cleaners over memory, and in the end
// clean_tiles, for the distances within a tile.
template <class K>
__device__ void flip(K* x, size_t n, size_t half) {
    // [part grid] Do this thread's comparator of a flip of 2 * half keys. One with a key past the end does nothing.
    size_t a = upper((size_t)grid_index(), half), partner = flipped(a, half);
    if (partner < n) order(x[a], x[partner]);
    // [end]
}

extern "C" __global__ void flip_u32(unsigned* x, size_t n, size_t half) { flip(x, n, half); }
extern "C" __global__ void flip_u64(word* x, size_t n, size_t half) { flip(x, n, half); }

template <class K>
__device__ void clean_far(K* x, size_t n, size_t j) {
    // [part grid] Do this thread's comparator of a half-cleaner: its keys are j apart.
    size_t a = upper((size_t)grid_index(), j);
    if (a + j < n) order(x[a], x[a + j]);
    // [end]
}

extern "C" __global__ void clean_far_u32(unsigned* x, size_t n, size_t j) { clean_far(x, n, j); }
extern "C" __global__ void clean_far_u64(word* x, size_t n, size_t j) { clean_far(x, n, j); }

template <class K>
__device__ void clean_tiles(K* x, size_t n) {
    K* s = (K*)shared_words;
    // [part grid] Do the last half-cleaners of a merge, whose distances lie within the block's tile, in shared memory.
    load_tile(x, n, s);
    clean(s, blockDim.x);
    store_tile(s, x, n);
    // [end]
}

extern "C" __global__ void clean_tiles_u32(unsigned* x, size_t n) { clean_tiles(x, n); }
extern "C" __global__ void clean_tiles_u64(word* x, size_t n) { clean_tiles(x, n); }

// [not handed out]
// ---- 4: a thread may compare keys that its neighbours are about to exchange.
extern "C" __global__ void no_barrier_u32(const unsigned* x, unsigned* out, size_t n) {
    unsigned* s = (unsigned*)shared_words;
    unsigned t = threadIdx.x;
    load_tile(x, n, s);
    __syncthreads();
    for (unsigned half = 1; half <= blockDim.x; half *= 2) {
        unsigned a = upper(t, half);
        order(s[a], s[flipped(a, half)]);
        for (unsigned j = half / 2; j > 0; j /= 2) {
            a = upper(t, j);
            order(s[a], s[a + j]);
        }
    }
    store_tile(s, out, n);
}

// ---- 5: the flip of 3 without its guard.
extern "C" __global__ void flip_unpadded_u32(unsigned* x, size_t n, size_t half) {
    size_t i = upper((size_t)grid_index(), half), partner = flipped(i, half);
    unsigned a = x[i], b = x[partner];
    if (b < a) {
        x[i] = b;
        x[partner] = a;
    }
}
// [end]
