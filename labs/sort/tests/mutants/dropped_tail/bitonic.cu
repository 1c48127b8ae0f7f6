// Mutant of bitonic_block: the last key is not stored.
#include "index.cuh"
#include "place.cuh"

template <class K> __device__ K largest() { return ~K(0); }

// ---- 1
template <class K>
__device__ void bitonic_warp(const K* x, K* out, size_t n) {
    size_t i = grid_index();
    unsigned lane = lane_id();
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
        if (first + i + 1 < n) out[first + i] = s[i];
}

template <class K>
__device__ void bitonic_block(const K* x, K* out, size_t n) {
    K* s = (K*)shared_words;
    unsigned t = threadIdx.x;
    load_tile(x, n, s);
    for (unsigned half = 1; half <= blockDim.x; half *= 2) {
        __syncthreads();
        unsigned a = upper(t, half);
        order(s[a], s[flipped(a, half)]);
        clean(s, half / 2);
    }
    store_tile(s, out, n);
}

extern "C" __global__ void bitonic_block_u32(const unsigned* x, unsigned* out, size_t n) { bitonic_block(x, out, n); }
extern "C" __global__ void bitonic_block_u64(const word* x, word* out, size_t n) { bitonic_block(x, out, n); }

// ---- 3: bitonic_block sorts the tiles; then, for each k, a flip and half-cleaners over memory, and in the end
// clean_tiles, for the distances within a tile.
template <class K>
__device__ void flip(K* x, size_t n, size_t half) {
    size_t a = upper((size_t)grid_index(), half), partner = flipped(a, half);
    if (partner < n) order(x[a], x[partner]);
}

extern "C" __global__ void flip_u32(unsigned* x, size_t n, size_t half) { flip(x, n, half); }
extern "C" __global__ void flip_u64(word* x, size_t n, size_t half) { flip(x, n, half); }

template <class K>
__device__ void clean_far(K* x, size_t n, size_t j) {
    size_t a = upper((size_t)grid_index(), j);
    if (a + j < n) order(x[a], x[a + j]);
}

extern "C" __global__ void clean_far_u32(unsigned* x, size_t n, size_t j) { clean_far(x, n, j); }
extern "C" __global__ void clean_far_u64(word* x, size_t n, size_t j) { clean_far(x, n, j); }

template <class K>
__device__ void clean_tiles(K* x, size_t n) {
    K* s = (K*)shared_words;
    load_tile(x, n, s);
    clean(s, blockDim.x);
    store_tile(s, x, n);
}

extern "C" __global__ void clean_tiles_u32(unsigned* x, size_t n) { clean_tiles(x, n); }
extern "C" __global__ void clean_tiles_u64(word* x, size_t n) { clean_tiles(x, n); }

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
