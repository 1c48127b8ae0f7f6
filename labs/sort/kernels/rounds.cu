// Splitting keys by a threshold, in their order, in rounds.
//
//   3  compact_rounds  like 1 (lists.cu), but only as many blocks as run at once, each of which takes the tiles b,
//                      b + gridDim.x, b + 2 gridDim.x, ... What lies before a tile is then what lay before the block's
//                      last one, and the counts of the gridDim.x tiles since: no tile waits for a chain of others, and
//                      all these counts are read in one trip. Tiles wait in a ring in shared memory, where they arrive
//                      without a register and without a wait (cp.async). A warp moves the selected keys of its part of
//                      a tile together, in their place in the ring, and their count is published `lead` tiles before
//                      it is known where they go: then a look finds the counts of all others, and one warp of the
//                      block does nothing but look. No block waits for one of its warps to hand its keys to another.
//
// x holds n keys and `out` n + 1 words, the last for the number of keys below the threshold; both are aligned to 16
// bytes. A tile has a state in `states`, which begins as 0. All blocks run at once (a cooperative launch), because each
// waits for others. Blocks have `threads` threads; dynamic shared memory: sizeof(Ring), two of which a multiprocessor
// of compute capability 9.0 holds. cp.async needs 8.0. n < 2^30.
// target: compute_80
#include "place.cuh"

constexpr unsigned splitters = 12, vectors = 4, stages = 4, lead = 2;
constexpr unsigned threads = 32 * (splitters + 1), part_keys = 32 * 4 * vectors, tile_keys = splitters * part_keys;

// The ring of stages: the block's k-th tile is in stage k % stages. A warp has a part of each tile.
struct Ring {
    alignas(16) unsigned part[stages][splitters][part_keys];
    unsigned kept[stages][splitters]; // how many of a part's keys are selected: they are its first
    unsigned earlier[2];             // how many of all tiles before, of even and of odd tiles
};
static_assert(sizeof(Ring) == 98512, "as the lab's sorter.rs says");
extern __shared__ __align__(16) unsigned char memory[];

// The tiles of this block: `count` of them.
struct Tiles {
    unsigned n, all;
    int count;

    __device__ explicit Tiles(unsigned n) : n(n), all((n + tile_keys - 1) / tile_keys) {
        count = all > blockIdx.x ? (int)((all - blockIdx.x - 1) / gridDim.x) + 1 : 0;
    }
    __device__ unsigned number(int k) const { return blockIdx.x + k * gridDim.x; }
    // Of the warp's part.
    __device__ unsigned begin(int k) const { return number(k) * tile_keys + warp_id() * part_keys; }
    __device__ bool whole(int k) const { return (number(k) + 1) * tile_keys <= n; }
};

// Loads a warp's part of tile k asynchronously. The last tile, if it is not whole, is left to `keys_of`.
__device__ void load_stage(Ring& ring, const unsigned* x, const Tiles& tiles, int k) {
    if (k < tiles.count && tiles.whole(k)) {
        unsigned to = (unsigned)__cvta_generic_to_shared(ring.part[k % stages][warp_id()] + 4 * lane_id());
        const unsigned* from = x + tiles.begin(k) + 4 * lane_id();
#pragma unroll
        for (unsigned v = 0; v < vectors; v++)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + v * 512), "l"(from + v * 128)
                         : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory"); // also an empty group, so that groups can be counted
}

// Moves the selected keys of a warp's part of tile k together, in their order, and returns their number.
__device__ unsigned split(unsigned* part, const unsigned* x, const Tiles& tiles, int k, unsigned below) {
    unsigned key[4 * vectors], kept = 0, first = tiles.begin(k) + lane_id();
#pragma unroll
    for (unsigned i = 0; i < 4 * vectors; i++) {
        // Keys past the end are not below any threshold.
        if (tiles.whole(k)) key[i] = part[32 * i + lane_id()];
        else key[i] = first + 32 * i < tiles.n ? x[first + 32 * i] : 0xffffffffu;
    }
    __syncwarp(); // all keys of the part are in registers
#pragma unroll
    for (unsigned i = 0; i < 4 * vectors; i++) {
        unsigned lanes = __ballot_sync(all_lanes, key[i] < below);
        if (key[i] < below) part[kept + __popc(lanes & lanes_below())] = key[i];
        kept += __popc(lanes);
    }
    return kept;
}

// Stores a warp's selected keys to out + first: whole lines of 32 words, but for the ends. A lane reads all of its keys
// before it stores the first.
__device__ void store_kept(const unsigned* part, unsigned kept, unsigned* out, unsigned first) {
    unsigned skip = first % 32, key[4 * vectors + 1];
    out += first - skip;
#pragma unroll
    for (unsigned k = 0; k <= 4 * vectors; k++) {
        unsigned i = lane_id() + 32 * k - skip;
        if (i < kept) key[k] = part[i];
    }
#pragma unroll
    for (unsigned k = 0; k <= 4 * vectors; k++)
        if (lane_id() + 32 * k - skip < kept) __stcs(out + lane_id() + 32 * k, key[k]); // it is not read again soon
}

__device__ unsigned warp_sum(unsigned v) { return __shfl_sync(all_lanes, warp_inclusive(v), 31); }

// Called by one warp: the sum of the counts of the tiles `from` to `to` - 1. A lane asks for all of its own before it
// looks at the first, and again for those that are not there yet.
__device__ unsigned sum_counts(const unsigned* states, unsigned from, unsigned to) {
    constexpr unsigned groups = 9; // of 32: as many blocks as an H200 runs at once have room
    unsigned sum = 0;
    for (unsigned i = from + lane_id(); i < to; i += 32 * groups) {
        unsigned state[groups];
#pragma unroll
        for (unsigned g = 0; g < groups; g++) state[g] = i + 32 * g < to ? look(&states[i + 32 * g]) : own;
#pragma unroll
        for (unsigned g = 0; g < groups; g++) {
            while ((state[g] & flags) == 0) state[g] = look(&states[i + 32 * g]);
            sum += state[g] & ~flags;
        }
    }
    return warp_sum(sum);
}

// One warp: finds out how many are selected before tile k, and publishes the count of tile k + lead.
__device__ void look_back_ahead(Ring& ring, unsigned* out, unsigned* states, const Tiles& tiles) {
    unsigned earlier = 0;
    auto of = [&](int k) { return warp_sum(lane_id() < splitters ? ring.kept[k % stages][lane_id()] : 0); };
    for (int k = -(int)lead; k < tiles.count; k++) {
        if (k >= 0) {
            // The block's own last tile is the first of those that lie between.
            earlier += sum_counts(states, k > 0 ? tiles.number(k - 1) : 0, tiles.number(k));
            if (lane_id() == 0) ring.earlier[k % 2] = earlier;
            if (tiles.number(k) == tiles.all - 1) {
                unsigned all = earlier + of(k);
                if (lane_id() == 0) out[tiles.n] = all;
            }
        }
        __syncthreads(); // the same barrier as in `split_and_store`
        if (k + (int)lead < tiles.count) {
            unsigned total = of(k + lead);
            if (lane_id() == 0) publish(&states[tiles.number(k + lead)], own, total);
        }
    }
}

// All other warps: split tile k + lead, and store tile k. There is one barrier a tile: before it tile k + lead is
// split, and what lies before tile k is found out.
__device__ void split_and_store(Ring& ring, const unsigned* x, unsigned* out, const Tiles& tiles, unsigned below) {
    for (int k = 0; k < (int)stages; k++) load_stage(ring, x, tiles, k);
    for (int k = -(int)lead; k < tiles.count; k++) {
        int next = k + lead;
        if (next < tiles.count) {
            // Waits for all but the latest groups of this thread, and then of its warp: its part of the tile.
            asm volatile("cp.async.wait_group %0;" ::"n"(stages - lead - 1) : "memory");
            __syncwarp();
            unsigned kept = split(ring.part[next % stages][warp_id()], x, tiles, next, below);
            if (lane_id() == 0) ring.kept[next % stages][warp_id()] = kept;
        }
        __syncthreads();
        if (k >= 0) {
            const unsigned* kept = ring.kept[k % stages];
            unsigned first = ring.earlier[k % 2];
            for (unsigned w = 0; w < warp_id(); w++) first += kept[w];
            store_kept(ring.part[k % stages][warp_id()], kept[warp_id()], out, first);
            __syncwarp(); // all lanes have read
            load_stage(ring, x, tiles, k + stages);
        }
    }
}

extern "C" __global__ void __launch_bounds__(threads, 2)
    compact_rounds(const unsigned* x, unsigned* out, unsigned* states, unsigned n, unsigned below) {
    Ring& ring = *(Ring*)memory;
    Tiles tiles(n);
    if (warp_id() < splitters)
        split_and_store(ring, x, out, tiles, below);
    else
        look_back_ahead(ring, out, states, tiles);
}
