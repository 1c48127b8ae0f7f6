// Scan (prefix sum) of n floats or 32-bit unsigned integers: out[i] is the sum of x[0..=i]
// (inclusive) or of x[0..i] (exclusive). What lies between [part ...] and [end] is what `warplab start` leaves to the
// student.
//
//   1  kogge-stone   one block, one element per thread: log n rounds, and every thread adds in every round
//   2  brent-kung    like 1, but two elements per thread and two sweeps over a tree: fewer additions
//   3  three-kernel  any n: sums of tiles, a scan of the sums, then a scan of each tile from its prefix on
//   4  single-pass   like 3, but each element is read once: a tile publishes its sum, then looks back
//                    at those of its predecessors until it knows its own prefix (decoupled look-back;
//                    Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
//                    Look-back", 2016)
//   5  one-barrier   wrong on purpose: like 1, but without the barrier between a round's reads and its writes
//   6  short-up      wrong on purpose: like 2, but the way up ends one round early
//
// n has 64 bits; inclusive is 1 or 0; x and out are 16-byte aligned. Any block size works. Dynamic shared memory: one
// word per thread for 1 and 5, two for 2 and 6, none for the others.

#include "scan.cuh"

// ---- 1: each element adds the one `stride` places to its left, for strides 1, 2, 4, ...
template <class T>
__device__ void kogge_stone(const T* x, T* out, size_t n, unsigned inclusive, T* s) {
    unsigned t = threadIdx.x;
    s[t] = t < n ? x[t] : T(0);
    // [part kogge-stone] Scan the words s[0] to s[blockDim.x - 1], of which the block has n elements, and store out[i]
    // for each of them. A round reads words that the same round writes: make sure that all have read before any writes.
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        T left = t >= stride ? s[t - stride] : T(0);
        __syncthreads(); // all threads have read before any thread writes
        s[t] += left;
    }
    __syncthreads();
    if (t < n) out[t] = inclusive ? s[t] : t > 0 ? s[t - 1] : T(0);
    // [end]
}

extern __shared__ word shared_words[];

extern "C" __global__ void kogge_stone_f32(const float* x, float* out, size_t n, unsigned inclusive) { kogge_stone(x, out, n, inclusive, (float*)shared_words); }
extern "C" __global__ void kogge_stone_u32(const unsigned* x, unsigned* out, size_t n, unsigned inclusive) { kogge_stone(x, out, n, inclusive, (unsigned*)shared_words); }

// ---- 2: on the way up, element i gets the sum of the 2, 4, 8, ... elements that end at it, if i + 1 is a multiple
// of that; on the way down, complete prefixes are passed on, half as far each round. Bounds checks allow any section.
template <class T>
__device__ void brent_kung(const T* x, T* out, size_t n, unsigned inclusive, T* s) {
    unsigned t = threadIdx.x, section = 2 * blockDim.x;
    s[t] = t < n ? x[t] : T(0);
    s[t + blockDim.x] = t + blockDim.x < n ? x[t + blockDim.x] : T(0);
    // [part brent-kung] Scan the `section` words of s, up the tree and down again, with the working threads side by
    // side, and store out[i] for each of the n elements.
    unsigned stride = 1;
    for (; stride < section; stride *= 2) {
        __syncthreads();
        unsigned i = (t + 1) * 2 * stride - 1;
        if (i < section) s[i] += s[i - stride];
    }
    for (; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned i = (t + 1) * 2 * stride - 1;
        if (i + stride < section) s[i + stride] += s[i];
    }
    __syncthreads();
    for (unsigned i = t; i < section && i < n; i += blockDim.x) out[i] = inclusive ? s[i] : i > 0 ? s[i - 1] : T(0);
    // [end]
}

extern "C" __global__ void brent_kung_f32(const float* x, float* out, size_t n, unsigned inclusive) { brent_kung(x, out, n, inclusive, (float*)shared_words); }
extern "C" __global__ void brent_kung_u32(const unsigned* x, unsigned* out, size_t n, unsigned inclusive) { brent_kung(x, out, n, inclusive, (unsigned*)shared_words); }

// ---- 3: tiles of 16 elements per thread. Three kernels: tile_sums, scan_sums (one block), scan_tiles.
constexpr int three_kernel_vectors = 4;

template <class T>
__device__ void tile_sums(const T* x, T* sums, size_t n) {
    __shared__ T of_warp[32];
    ThreadPlace p = place();
    Four<T> v[three_kernel_vectors];
    load(x, (size_t)blockIdx.x * blockDim.x * 4 * three_kernel_vectors, n, p, v);
    // [part three-kernel] Store the sum of the block's tile in sums[blockIdx.x].
    T total = warp_total(v, p);
    if (p.lane == p.lanes - 1) of_warp[p.warp] = total;
    __syncthreads();
    if (p.warp == 0) {
        total = scan_totals(of_warp, p);
        if (p.lane == 0) sums[blockIdx.x] = total;
    }
    // [end]
}

extern "C" __global__ void tile_sums_f32(const float* x, float* sums, size_t n) { tile_sums(x, sums, n); }
extern "C" __global__ void tile_sums_u32(const unsigned* x, unsigned* sums, size_t n) { tile_sums(x, sums, n); }

// One block, which scans tile after tile with a carry: exclusive, in place.
template <class T>
__device__ void scan_sums(T* sums, size_t tiles) {
    __shared__ T of_warp[32];
    __shared__ T of_block;
    ThreadPlace p = place();
    // [part three-kernel] Replace each of the sums by the sum of those before it. There is one block, and there may be
    // more sums than it can load at once.
    T carry = T(0);
    for (size_t first = 0; first < tiles; first += (size_t)blockDim.x * 4) {
        Four<T> v[1];
        T before[1];
        load(sums, first, tiles, p, v);
        T total = warp_total(v, p);
        if (p.lane == p.lanes - 1) of_warp[p.warp] = total;
        scan_warp(v, p, before);
        __syncthreads();
        if (p.warp == 0) {
            total = scan_totals(of_warp, p);
            if (p.lane == 0) of_block = total;
        }
        __syncthreads();
        finish(v, before, carry + of_warp[p.warp], false);
        store(sums, first, tiles, p, v);
        carry += of_block;
        __syncthreads(); // all threads have read the totals before those of the next tile are written
    }
    // [end]
}

extern "C" __global__ void scan_sums_f32(float* sums, size_t tiles) { scan_sums(sums, tiles); }
extern "C" __global__ void scan_sums_u32(unsigned* sums, size_t tiles) { scan_sums(sums, tiles); }

template <class T>
__device__ void scan_tiles(const T* x, const T* sums, T* out, size_t n, unsigned inclusive) {
    __shared__ T of_warp[32];
    ThreadPlace p = place();
    size_t first = (size_t)blockIdx.x * blockDim.x * 4 * three_kernel_vectors;
    Four<T> v[three_kernel_vectors];
    T before[three_kernel_vectors];
    load(x, first, n, p, v);
    // [part three-kernel] Scan the tile in v, with sums[blockIdx.x] before it, and store it. of_warp has room for the
    // sums of the warps.
    T total = warp_total(v, p);
    if (p.lane == p.lanes - 1) of_warp[p.warp] = total;
    scan_warp(v, p, before);
    __syncthreads();
    if (p.warp == 0) scan_totals(of_warp, p);
    __syncthreads();
    finish(v, before, sums[blockIdx.x] + of_warp[p.warp], inclusive);
    store(out, first, n, p, v);
    // [end]
}

extern "C" __global__ void scan_tiles_f32(const float* x, const float* sums, float* out, size_t n, unsigned inclusive) { scan_tiles(x, sums, out, n, inclusive); }
extern "C" __global__ void scan_tiles_u32(const unsigned* x, const unsigned* sums, unsigned* out, size_t n, unsigned inclusive) { scan_tiles(x, sums, out, n, inclusive); }

// ---- 4: see scan.cuh for the look-back.
template <class T, int V>
__device__ void single_pass(const T* x, T* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) {
    __shared__ T of_warp[32];
    __shared__ T of_earlier;
    __shared__ unsigned drawn;
    // [part single-pass] Draw a tile's number from *ticket, load the tile, publish its sum as early as you can, look
    // back at the tiles before it, publish the prefix, and store the scan. No block may wait for one that has not
    // started.
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    // Tiles are numbered in the order in which blocks start, not by blockIdx: all predecessors of a tile have
    // then started, and waiting for them always ends.
    unsigned tile = drawn;
    size_t first = (size_t)tile * blockDim.x * 4 * V;
    ThreadPlace p = place();
    Four<T> v[V];
    T before[V];
    load(x, first, n, p, v);
    T total = warp_total(v, p);
    if (p.lane == p.lanes - 1) of_warp[p.warp] = total;
    __syncthreads();
    if (p.warp == 0) {
        total = scan_totals(of_warp, p);
        // As early as possible, because every later tile waits for it.
        if (p.lane == 0) publish(&states[tile], tile > 0 ? own : prefix, bits(total));
    }
    scan_warp(v, p, before);
    if (p.warp == 0) {
        T earlier = tile > 0 ? look_back<T>(states, tile, p) : T(0);
        if (p.lane == 0) {
            if (tile > 0) publish(&states[tile], prefix, bits(earlier + total));
            of_earlier = earlier;
        }
    }
    __syncthreads();
    finish(v, before, of_earlier + of_warp[p.warp], inclusive);
    store(out, first, n, p, v);
    // [end]
}

// 16 or 32 elements per thread: a smaller tile leaves room for more blocks, a larger tile has fewer
// predecessors to look at.
extern "C" __global__ void __launch_bounds__(1024) single_pass_16_f32(const float* x, float* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass<float, 4>(x, out, states, ticket, n, inclusive); }
extern "C" __global__ void __launch_bounds__(1024) single_pass_16_u32(const unsigned* x, unsigned* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass<unsigned, 4>(x, out, states, ticket, n, inclusive); }
extern "C" __global__ void __launch_bounds__(1024) single_pass_32_f32(const float* x, float* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass<float, 8>(x, out, states, ticket, n, inclusive); }
extern "C" __global__ void __launch_bounds__(1024) single_pass_32_u32(const unsigned* x, unsigned* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass<unsigned, 8>(x, out, states, ticket, n, inclusive); }

// [not handed out]
// ---- 5: a thread may read its left neighbour's word before or after that neighbour has added to it.
extern "C" __global__ void one_barrier_u32(const unsigned* x, unsigned* out, size_t n, unsigned inclusive) {
    unsigned* s = (unsigned*)shared_words;
    unsigned t = threadIdx.x;
    s[t] = t < n ? x[t] : 0;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t >= stride) s[t] += s[t - stride];
    }
    __syncthreads();
    if (t < n) out[t] = inclusive ? s[t] : t > 0 ? s[t - 1] : 0;
}

// ---- 6: strides below blockDim.x, where the section has 2 * blockDim.x elements: the last round up, which would add the
// sum of the first half to that of the second, is missing. Only the last element has its prefix from there.
extern "C" __global__ void short_up_u32(const unsigned* x, unsigned* out, size_t n, unsigned inclusive) {
    unsigned* s = (unsigned*)shared_words;
    unsigned t = threadIdx.x, section = 2 * blockDim.x;
    s[t] = t < n ? x[t] : 0;
    s[t + blockDim.x] = t + blockDim.x < n ? x[t + blockDim.x] : 0;
    unsigned stride = 1;
    for (; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned i = (t + 1) * 2 * stride - 1;
        if (i < section) s[i] += s[i - stride];
    }
    for (; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned i = (t + 1) * 2 * stride - 1;
        if (i + stride < section) s[i + stride] += s[i];
    }
    __syncthreads();
    for (unsigned i = t; i < section && i < n; i += blockDim.x) out[i] = inclusive ? s[i] : i > 0 ? s[i - 1] : 0;
}
// [end]
