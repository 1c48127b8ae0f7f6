// Splitting keys by a threshold, in their order, in rounds.
//
//   3  compact_rounds  like 1 (lists.cu), but only as many blocks as run at once, each of which takes the tiles b,
//                      b + gridDim.x, b + 2 gridDim.x, ... What lies before a tile is then what lay before the block's
//                      last one, and the counts of the gridDim.x tiles since: no tile waits for a chain of others, and
//                      all these counts are read in one trip. A thread loads 4 keys at a time, four times; while a
//                      block works on them, its next tile comes into the L2 cache, for which no register is needed. The
//                      selected keys of a tile gather in shared memory, and leave it side by side, 4 at a time.
//
// x holds n keys and `out` n + 1 words, the last for the number of keys below the threshold; both are aligned to 16
// bytes. A tile has 16384 keys, and a state in `states`, which begins as 0. All blocks run at once (a cooperative
// launch), because each waits for others. Dynamic shared memory: sizeof(Shared). n < 2^30.
#include "place.cuh"

constexpr unsigned threads = 1024, loads = 4, warps = threads / 32, tile_keys = threads * 4 * loads;

// A block's shared memory. All of it is dynamic, because it is more than a block may have without asking.
struct Shared {
    unsigned kept[tile_keys];                    // the tile's selected keys, in order
    unsigned of_warp[warps], before_warp[warps]; // how many a warp has selected, and all warps before it
    unsigned earlier, selected;                  // how many lie in all tiles before, and in this one
};
extern __shared__ __align__(16) unsigned char memory[];

// A lane's keys: four from x + first on, and four every 128 further. In a whole tile nothing is asked: all loads are
// under way before the first has come. Keys past the end are not below any threshold.
__device__ inline void load(uint4 (&key)[loads], const unsigned* x, unsigned first, bool whole, unsigned n) {
    if (whole) {
#pragma unroll
        for (unsigned k = 0; k < loads; k++) key[k] = __ldcs((const uint4*)(x + first + 128 * k));
        return;
    }
    auto at = [=](unsigned i) { return i < n ? x[i] : 0xffffffffu; };
#pragma unroll
    for (unsigned k = 0; k < loads; k++) {
        unsigned i = first + 128 * k;
        key[k] = make_uint4(at(i), at(i + 1), at(i + 2), at(i + 3));
    }
}

// Asks for a tile to be brought into the L2 cache: a thread a line of 32 keys.
__device__ inline void bring(const unsigned* x, unsigned tile, unsigned n) {
    unsigned i = tile * tile_keys + 32 * threadIdx.x;
    if (threadIdx.x < tile_keys / 32 && i < n) asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i));
}

// Called by one warp: the sum of the counts of the tiles `from` to `to` - 1.
__device__ inline unsigned counts(const unsigned* states, unsigned from, unsigned to) {
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
    return __shfl_sync(all_lanes, warp_inclusive(sum), 31);
}

// Stores `total` keys from `kept` to out + first: whole vectors of 4, and singly what lies before and after them.
__device__ inline void store(unsigned* out, const unsigned* kept, unsigned first, unsigned total) {
    unsigned skip = (4 - first % 4) % 4;
    unsigned vectors = total > skip ? (total - skip) / 4 : 0, rest = skip + 4 * vectors + threadIdx.x;
    if (threadIdx.x < skip && threadIdx.x < total) out[first + threadIdx.x] = kept[threadIdx.x];
    for (unsigned i = threadIdx.x; i < vectors; i += threads) {
        const unsigned* from = kept + skip + 4 * i;
        __stcs((uint4*)(out + first + skip) + i, make_uint4(from[0], from[1], from[2], from[3]));
    }
    if (threadIdx.x < 4 && rest < total) out[first + rest] = kept[rest];
}

extern "C" __global__ void __launch_bounds__(threads, 2)
    compact_rounds(const unsigned* x, unsigned* out, unsigned* states, unsigned n, unsigned below) {
    Shared& s = *(Shared*)memory;
    unsigned tiles = (n + tile_keys - 1) / tile_keys, before = 0;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned first = tile * tile_keys + warp_id() * 128 * loads + 4 * lane_id();
        uint4 key[loads];
        load(key, x, first, (tile + 1) * tile_keys <= n, n);
        bring(x, tile + gridDim.x, n);
        // How many of its 4 keys a lane selects in group k: byte k of a word. A warp selects 128 of a group at most, so
        // that all four groups are summed at once.
        unsigned count = 0;
#pragma unroll
        for (unsigned k = 0; k < loads; k++)
            count += ((key[k].x < below) + (key[k].y < below) + (key[k].z < below) + (key[k].w < below)) << 8 * k;
        unsigned upto = warp_inclusive(count), all = __shfl_sync(all_lanes, upto, 31), ahead = upto - count;
        if (lane_id() == 0) s.of_warp[warp_id()] = (all & 255) + (all >> 8 & 255) + (all >> 16 & 255) + (all >> 24);
        __syncthreads(); // and the keys of the tile before have left s.kept
        if (warp_id() == 0) {
            unsigned mine = s.of_warp[lane_id()], sum = warp_inclusive(mine);
            s.before_warp[lane_id()] = sum - mine;
            if (lane_id() == 31) {
                publish(&states[tile], own, sum);
                s.selected = sum;
            }
        }
        __syncthreads();
        unsigned at = s.before_warp[warp_id()];
#pragma unroll
        for (unsigned k = 0; k < loads; k++) {
            unsigned to = at + (ahead >> 8 * k & 255);
            if (key[k].x < below) s.kept[to++] = key[k].x;
            if (key[k].y < below) s.kept[to++] = key[k].y;
            if (key[k].z < below) s.kept[to++] = key[k].z;
            if (key[k].w < below) s.kept[to++] = key[k].w;
            at += all >> 8 * k & 255;
        }
        if (warp_id() == 0) {
            before += counts(states, tile < gridDim.x ? 0 : tile - gridDim.x, tile);
            if (lane_id() == 0) {
                s.earlier = before;
                if (tile == tiles - 1) out[n] = before + s.selected;
            }
        }
        __syncthreads();
        store(out, s.kept, s.earlier, s.selected);
    }
}
