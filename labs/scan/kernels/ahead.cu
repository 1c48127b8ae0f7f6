// Scan by blocks that sum their tiles ahead.
//
//   5  ahead  like 4 (scan.cu), but only as many blocks as run at once, each of which takes the tiles b,
//             b + gridDim.x, b + 2 gridDim.x, ... What lies before a tile is then what lay before the block's last one,
//             and the sums of the gridDim.x tiles since: all are read in one trip, and no tile waits for a chain of
//             prefixes. A tile's sum is published `lead` tiles before its prefix is wanted, so that a look finds the
//             sums of all others, and one warp of the block does nothing but look. Tiles wait in a ring in shared
//             memory, where they arrive without a register and without a wait (cp.async): memory always has
//             something to do.
//
// x and out are aligned to 16 bytes; each tile has a state in `states`, which begins as 0. All blocks run at once (a
// cooperative launch), because each waits for others. Blocks have `threads` threads; dynamic shared memory:
// sizeof(Ring), two of which a multiprocessor of compute capability 9.0 holds. cp.async needs 8.0.
// target: compute_80

#include "scan.cuh"

// A thread that scans has an odd number of vectors of four elements side by side: then the 16 bytes that eight
// neighbouring threads read at a time lie in different banks.
constexpr int scanners = 8, vectors = 3, stages = 8, lead = 4;
constexpr unsigned threads = 32 * (scanners + 1), tile_size = scanners * 32 * 4 * vectors;

// The ring of stages: the block's k-th tile is in stage k % stages.
template <class T>
struct Ring {
    Four<T> tile[stages][tile_size / 4];
    T of_warp[stages][scanners]; // the sums of the warps
    T earlier[2];               // the sum of all tiles before, of even and of odd tiles
};
static_assert(sizeof(Ring<float>) == 98576, "as the lab's scanning.rs says");
extern __shared__ __align__(16) unsigned char memory[];

// The tiles of this block: `count` of them.
struct Tiles {
    size_t n;
    int count;

    __device__ explicit Tiles(size_t n) : n(n) {
        unsigned all = (unsigned)((n + tile_size - 1) / tile_size);
        count = all > blockIdx.x ? (int)((all - blockIdx.x - 1) / gridDim.x) + 1 : 0;
    }
    __device__ unsigned number(int k) const { return blockIdx.x + k * gridDim.x; }
    __device__ size_t begin(int k) const { return (size_t)number(k) * tile_size; }
    __device__ bool whole(int k) const { return begin(k) + tile_size <= n; }
};

// Loads a warp's part of tile k asynchronously: the vectors of its lanes are adjacent in memory. The last tile, if it is
// not whole, is left to `load_partial`.
template <class T>
__device__ void load_stage(Ring<T>& ring, const T* x, const Tiles& tiles, int k, unsigned stage, ThreadPlace p) {
    if (k < tiles.count && tiles.whole(k)) {
        unsigned first = p.warp * 32 * vectors + p.lane;
        unsigned to = (unsigned)__cvta_generic_to_shared(ring.tile[stage] + first);
        const Four<T>* from = (const Four<T>*)(x + tiles.begin(k)) + first;
#pragma unroll
        for (int v = 0; v < vectors; v++)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + v * 32 * 16), "l"(from + v * 32)
                         : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory"); // also an empty group, so that groups can be counted
}

// Loads a thread's own elements of a tile that is not whole; past the end there are zeros.
template <class T>
__device__ void load_partial(Four<T>* mine, const T* x, size_t first, size_t n) {
    for (int i = 0; i < 4 * vectors; i++) mine[i / 4].v[i % 4] = first + i < n ? x[first + i] : T(0);
}

// Sums a thread's elements. Returns what lies before them in the warp; `upto` becomes the sum of both.
template <class T>
__device__ T sum_items(const Four<T>* mine, ThreadPlace p, T& upto) {
    Four<T> sum = {};
#pragma unroll
    for (int v = 0; v < vectors; v++) {
        Four<T> four = mine[v];
#pragma unroll
        for (int j = 0; j < 4; j++) sum.v[j] += four.v[j];
    }
    upto = warp_inclusive((sum.v[0] + sum.v[1]) + (sum.v[2] + sum.v[3]), p);
    T left = __shfl_up_sync(p.mask, upto, 1);
    return p.lane > 0 ? left : T(0);
}

// Replaces each of a thread's elements by its prefix, given the sum of all before them.
template <class T>
__device__ void scan_items(Four<T>* mine, T before, bool inclusive) {
#pragma unroll
    for (int v = 0; v < vectors; v++) {
        Four<T> four = mine[v];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            T with = before + four.v[j];
            four.v[j] = inclusive ? with : before;
            before = with;
        }
        mine[v] = four;
    }
}

// Stores a warp's part of tile k, with adjacent vectors again.
template <class T>
__device__ void store_stage(const Ring<T>& ring, T* out, const Tiles& tiles, int k, unsigned stage, ThreadPlace p) {
    unsigned first = p.warp * 32 * vectors + p.lane;
#pragma unroll
    for (int v = 0; v < vectors; v++) {
        const Four<T>& four = ring.tile[stage][first + v * 32];
        size_t i = tiles.begin(k) + 4 * (first + v * 32);
        if (tiles.whole(k)) {
            __stcs((uint4*)(out + i), *(const uint4*)&four); // it is not read again soon
        } else {
            for (int j = 0; j < 4; j++)
                if (i + j < tiles.n) out[i + j] = four.v[j];
        }
    }
}

template <class T>
__device__ T warp_sum(T v, ThreadPlace p) { return __shfl_sync(p.mask, warp_inclusive(v, p), 31); }

// Called by one warp: the sum of the sums of tiles `from` to `to` - 1. A lane asks for all of its own before it looks
// at the first, and again for those that are not there yet.
template <class T>
__device__ T sums_of(const word* states, unsigned from, unsigned to, ThreadPlace p) {
    constexpr unsigned groups = 9; // of 32: as many blocks as an H200 runs at once have room
    T sum = T(0);
    for (unsigned i = from + p.lane; i < to; i += 32 * groups) {
        word w[groups];
#pragma unroll
        for (unsigned g = 0; g < groups; g++) w[g] = i + 32 * g < to ? look(&states[i + 32 * g]) : (word)own << 32;
#pragma unroll
        for (unsigned g = 0; g < groups; g++) {
            while (w[g] >> 32 == empty) w[g] = look(&states[i + 32 * g]);
            T v;
            value(w[g], v);
            sum += v;
        }
    }
    return warp_sum(sum, p);
}

// One warp: finds the sum of all before tile k, and publishes the sum of tile k + lead.
template <class T>
__device__ void look_back_ahead(Ring<T>& ring, word* states, const Tiles& tiles, ThreadPlace p) {
    T earlier = T(0);
    for (int k = -lead; k < tiles.count; k++) {
        if (k >= 0) {
            // The block's own last tile is the first of those that lie between.
            earlier += sums_of<T>(states, k > 0 ? tiles.number(k - 1) : 0, tiles.number(k), p);
            if (p.lane == 0) ring.earlier[k % 2] = earlier;
        }
        __syncthreads(); // the same barrier as in `sum_and_scan`
        if (k + lead < tiles.count) {
            T total = warp_sum(p.lane < scanners ? ring.of_warp[(k + lead) % stages][p.lane] : T(0), p);
            if (p.lane == 0) publish(&states[tiles.number(k + lead)], own, bits(total));
        }
    }
}

// All other warps: sum tile k + lead, and scan tile k. There is one barrier a tile: before it tile k + lead is summed,
// and what lies before tile k is found out.
template <class T>
__device__ void sum_and_scan(Ring<T>& ring, const T* x, T* out, const Tiles& tiles, bool inclusive, ThreadPlace p) {
    T left[lead + 1]; // what lies before the thread's elements in its warp, for tiles k to k + lead
    unsigned mine = threadIdx.x * vectors;
    for (int k = 0; k < stages; k++) load_stage(ring, x, tiles, k, k, p);
    for (int k = -lead; k < tiles.count; k++) {
        if (k + lead < tiles.count) {
            unsigned stage = (k + lead) % stages;
            // Waits for all but the latest groups of this thread, and then of its warp: its part of tile k + lead.
            asm volatile("cp.async.wait_group %0;" ::"n"(stages - lead - 1) : "memory");
            __syncwarp();
            if (!tiles.whole(k + lead)) load_partial(ring.tile[stage] + mine, x, tiles.begin(k + lead) + 4 * mine, tiles.n);
            T upto;
            left[lead] = sum_items(ring.tile[stage] + mine, p, upto);
            if (p.lane == 31) ring.of_warp[stage][p.warp] = upto;
        }
        __syncthreads();
        if (k >= 0) {
            unsigned stage = k % stages;
            T before = ring.earlier[k % 2];
            for (unsigned w = 0; w < p.warp; w++) before += ring.of_warp[stage][w];
            scan_items(ring.tile[stage] + mine, before + left[0], inclusive);
            __syncwarp(); // the warp's part is scanned
            store_stage(ring, out, tiles, k, stage, p);
            load_stage(ring, x, tiles, k + stages, stage, p); // where a lane itself has read, and no other
        }
#pragma unroll
        for (int i = 0; i < lead; i++) left[i] = left[i + 1];
    }
}

template <class T>
__device__ void ahead(const T* x, T* out, word* states, size_t n, unsigned inclusive) {
    Ring<T>& ring = *(Ring<T>*)memory;
    Tiles tiles(n);
    ThreadPlace p = place();
    if (p.warp < scanners)
        sum_and_scan(ring, x, out, tiles, inclusive, p);
    else
        look_back_ahead(ring, states, tiles, p);
}

extern "C" __global__ void __launch_bounds__(threads, 2) ahead_f32(const float* x, float* out, word* states, size_t n, unsigned inclusive) { ahead(x, out, states, n, inclusive); }
extern "C" __global__ void __launch_bounds__(threads, 2) ahead_u32(const unsigned* x, unsigned* out, word* states, size_t n, unsigned inclusive) { ahead(x, out, states, n, inclusive); }
