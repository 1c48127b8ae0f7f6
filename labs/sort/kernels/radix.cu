// Radix sort, the least significant digit first: each pass puts the keys in the order of one digit, and keeps the order
// of keys whose digits are equal.
//
//   1  radix-passes  digits of 4 bits, three kernels each: count the digits of each tile, scan the counts, scatter
//   2  radix         digits of 8 bits: one kernel counts those of all places, then one kernel each. A tile learns from
//                    its predecessors' states how many keys go before its own (decoupled look-back, a state for each
//                    digit), and puts its keys in order in shared memory before it stores them (Adinets and Merrill,
//                    "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022)
//   3  radix-large   like 2, but in much larger tiles: values go to shared memory with their keys, and no thread keeps
//                    ranks or places in registers. A tile's keys of one digit are stored side by side, so that fewer
//                    sectors are stored in part; and there are fewer tiles to look back to
//   4  unstable      wrong on purpose: like 1, but a key takes the next place of its digit by an atomic addition, so
//                    that keys with equal digits do not keep their order
//
// Keys are 32-bit or 64-bit unsigned integers (u32, u64), or 32-bit keys with 32-bit values (pairs). n < 2^30. Dynamic
// shared memory: count_all has 1 KiB for each byte of a key and each copy of its counts, and sweep_large has room for a
// tile; the others have none.
#include "radix.cuh"

// ---- 1: counts[d * tiles + t] is the number of keys with digit d in tile t, and then the place of the first of them.
typedef Shape<256, 16> Small;

template <class K>
__device__ void tile_counts(const K* in, unsigned* counts, unsigned n, unsigned shift) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    unsigned first = blockIdx.x * Small::tile, size = min((unsigned)Small::tile, n - first);
    K key[Small::items];
    load<Small>(in + first, size, key);
#pragma unroll
    for (int i = 0; i < Small::items; i++)
        if (at<Small>(i) < size) atomicAdd(&bins[digit_of<4>(key[i], shift)], 1u);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void tile_counts_u32(const unsigned* in, unsigned* counts, unsigned n, unsigned shift) {
    tile_counts(in, counts, n, shift);
}
extern "C" __global__ void tile_counts_u64(const word* in, unsigned* counts, unsigned n, unsigned shift) {
    tile_counts(in, counts, n, shift);
}

// Exclusive, in place, by one block of 1024 threads that carries its sum on; eight counts a thread.
extern "C" __global__ void __launch_bounds__(1024) scan_counts(unsigned* counts, unsigned n) {
    __shared__ unsigned of_warp[32];
    unsigned carry = 0;
    for (unsigned first = threadIdx.x * 8; first - threadIdx.x * 8 < n; first += 8 * 1024) {
        unsigned count[8], sum = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            count[k] = first + k < n ? counts[first + k] : 0;
            sum += count[k];
        }
        unsigned inclusive = warp_inclusive(sum);
        if (lane_id() == 31) of_warp[warp_id()] = inclusive;
        __syncthreads();
        unsigned warps = warp_inclusive(of_warp[lane_id()]);
        unsigned before = carry + inclusive - sum;
        unsigned left = __shfl_sync(all_lanes, warps, (warp_id() + 31) % 32);
        if (warp_id() > 0) before += left;
        carry += __shfl_sync(all_lanes, warps, 31);
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (first + k < n) counts[first + k] = before;
            before += count[k];
        }
        __syncthreads(); // all warps have read the sums before the next ones are written
    }
}

template <class K, bool pairs>
__device__ void scatter(const K* in, const unsigned* in_values, K* out, unsigned* out_values, const unsigned* counts,
                        unsigned n, unsigned shift) {
    __shared__ unsigned next[Small::warps][16];
    unsigned first = blockIdx.x * Small::tile, size = min((unsigned)Small::tile, n - first);
    for (unsigned i = threadIdx.x; i < Small::warps * 16; i += Small::threads) next[0][i] = 0;
    K key[Small::items];
    unsigned value[Small::items];
    load<Small>(in + first, size, key);
    if (pairs) load<Small>(in_values + first, size, value);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Small::items; i++) atomicAdd(&next[warp_id()][digit_of<4>(key[i], shift)], 1u);
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned place = counts[threadIdx.x * gridDim.x + blockIdx.x];
        for (int w = 0; w < Small::warps; w++) {
            unsigned count = next[w][threadIdx.x];
            next[w][threadIdx.x] = place;
            place += count;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Small::items; i++) {
        unsigned place = rank_of<4, by_ballots>(digit_of<4>(key[i], shift), next[warp_id()]);
        if (at<Small>(i) < size) {
            out[place] = key[i];
            if (pairs) out_values[place] = value[i];
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) scatter_u32(const unsigned* in, const unsigned* in_values, unsigned* out,
                                                              unsigned* out_values, const unsigned* counts, unsigned n,
                                                              unsigned shift) {
    scatter<unsigned, false>(in, in_values, out, out_values, counts, n, shift);
}
extern "C" __global__ void __launch_bounds__(256) scatter_pairs(const unsigned* in, const unsigned* in_values,
                                                                unsigned* out, unsigned* out_values,
                                                                const unsigned* counts, unsigned n, unsigned shift) {
    scatter<unsigned, true>(in, in_values, out, out_values, counts, n, shift);
}
extern "C" __global__ void __launch_bounds__(256) scatter_u64(const word* in, const unsigned* in_values, word* out,
                                                              unsigned* out_values, const unsigned* counts, unsigned n,
                                                              unsigned shift) {
    scatter<word, false>(in, in_values, out, out_values, counts, n, shift);
}

// ---- 2: counts[p * 256 + d] is the number of keys with digit d in place p. A block has 2^copies copies of the counts in
// shared memory, and a lane adds to its own, so that few lanes of a warp meet in a bank. The states of the first place
// are cleared here, because only a later kernel uses them.
extern __shared__ __align__(16) unsigned copied[];

template <class K>
__device__ void count_key(K key, unsigned copies, unsigned own) {
#pragma unroll
    for (unsigned p = 0; p < sizeof(K); p++)
        atomicAdd(&copied[(p * 256 + digit_of<8>(key, 8 * p) << copies) + own], 1u);
}

template <class K>
__device__ void count_all(const K* in, unsigned* counts, unsigned* states, unsigned words, unsigned n, unsigned copies) {
    constexpr int bins = sizeof(K) * 256, each = 16 / sizeof(K), vectors = 4;
    struct alignas(16) Vector { K key[each]; };
    unsigned own = lane_id() & ((1u << copies) - 1);
    for (unsigned i = threadIdx.x; i < bins << copies; i += blockDim.x) copied[i] = 0;
    __syncthreads();
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (unsigned i = thread; i < words; i += threads) states[i] = 0;

    unsigned all = n / each, step = threads * vectors, i = thread;
    for (; i + 3 * threads < all; i += step) {
        Vector v[vectors];
#pragma unroll
        for (int k = 0; k < vectors; k++) v[k] = ((const Vector*)in)[i + k * threads];
#pragma unroll
        for (int k = 0; k < vectors; k++)
#pragma unroll
            for (int j = 0; j < each; j++) count_key(v[k].key[j], copies, own);
    }
    for (; i < all; i += threads)
        for (int j = 0; j < each; j++) count_key(in[(size_t)i * each + j], copies, own);
    if (thread < n - all * each) count_key(in[all * each + thread], copies, own);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        unsigned sum = 0;
        // Each thread begins with another copy, so that the lanes of a warp read other banks.
        for (unsigned c = 0; c < 1u << copies; c++) sum += copied[(bin << copies) + ((c + bin) & ((1u << copies) - 1))];
        if (sum > 0) atomicAdd(&counts[bin], sum);
    }
}

extern "C" __global__ void __launch_bounds__(1024) count_all_u32(const unsigned* in, unsigned* counts, unsigned* states,
                                                                 unsigned words, unsigned n, unsigned copies) {
    count_all(in, counts, states, words, n, copies);
}
extern "C" __global__ void __launch_bounds__(1024) count_all_u64(const word* in, unsigned* counts, unsigned* states,
                                                                 unsigned words, unsigned n, unsigned copies) {
    count_all(in, counts, states, words, n, copies);
}

// What a pass over one digit is given: keys and values in and out, the counts of this place's digits, the states of
// this place (all 0) and those of the next (which it clears), and a ticket for each tile.
template <class K>
struct Pass {
    const K* in;
    const unsigned* in_values;
    K* out;
    unsigned* out_values;
    const unsigned* counts;
    unsigned* states;
    unsigned* next_states;
    unsigned* ticket;
    unsigned n, shift;
};

// Sums of 256 counts, one in each of the first 256 threads: the counts of all smaller digits. All threads call it.
__device__ unsigned smaller_digits(unsigned count, unsigned* of_warp) {
    unsigned inclusive = warp_inclusive(count);
    if (lane_id() == 31 && warp_id() < 8) of_warp[warp_id()] = inclusive;
    __syncthreads();
    unsigned before = inclusive - count;
#pragma unroll
    for (unsigned w = 0; w < 8; w++)
        if (w < warp_id()) before += of_warp[w];
    return before;
}

template <class S, class K, bool pairs, Match how>
__device__ void sweep(const Pass<K>& p) {
    __shared__ unsigned next[S::warps][256]; // how many keys of each digit a warp has; then where its next one goes
    __shared__ unsigned offset[256];         // the place of a digit's first key in `out`, less that in the tile
    __shared__ K sorted[S::tile];
    __shared__ unsigned sums[2][8];
    __shared__ unsigned drawn;
    unsigned t = threadIdx.x;
    // Tiles are numbered in the order in which blocks start: all predecessors of a tile have then started.
    if (t == 0) drawn = atomicAdd(p.ticket, 1u);
    for (unsigned i = t; i < S::warps * 256; i += S::threads) next[0][i] = 0;
    __syncthreads();
    unsigned tile = drawn, first = tile * S::tile, size = min((unsigned)S::tile, p.n - first);
    K key[S::items];
    load<S>(p.in + first, size, key);
#pragma unroll
    for (int i = 0; i < S::items; i++) atomicAdd(&next[warp_id()][digit_of<8>(key[i], p.shift)], 1u);
    __syncthreads();

    // A thread for each digit. As early as possible it publishes the tile's count, which all later tiles wait for. Keys past
    // the end are in the last tile, which no other waits for.
    unsigned count = 0;
    unsigned* state = p.states + (size_t)tile * 256 + t;
    if (t < 256) {
#pragma unroll
        for (int w = 0; w < S::warps; w++) count += next[w][t];
        if (tile > 0) publish(state, own, count);
        p.next_states[(size_t)tile * 256 + t] = 0;
    }
    unsigned place = smaller_digits(count, sums[0]);
    unsigned before_all = 0; // tile 0 adds the keys with smaller digits in all of the input
    if (tile == 0) before_all = smaller_digits(t < 256 ? p.counts[t] : 0, sums[1]);
    if (t < 256) {
        unsigned to = place;
#pragma unroll
        for (int w = 0; w < S::warps; w++) {
            unsigned of_warp = next[w][t];
            next[w][t] = to;
            to += of_warp;
        }
    }
    // If all keys have the same digit, they are in order already.
    bool in_order = __syncthreads_or(count == S::tile);
    unsigned rank[S::items];
    if (!in_order) {
#pragma unroll
        for (int i = 0; i < S::items; i++) {
            unsigned r = rank_of<8, how>(digit_of<8>(key[i], p.shift), next[warp_id()]);
            sorted[r] = key[i];
            if (pairs) rank[i] = r;
        }
    }
    // Requested now, values arrive while the block looks back.
    unsigned value[S::items];
    if (pairs) load<S>(p.in_values + first, size, value);
    if (t < 256) {
        unsigned before = tile > 0 ? look_back<256>(p.states + t, tile) : before_all;
        publish(state, prefix, before + count);
        offset[t] = before - place;
    }
    __syncthreads();

    if (in_order) {
        unsigned to = offset[digit_of<8>(key[0], p.shift)];
        store<S>(key, size, p.out + to);
        if (pairs) store<S>(value, size, p.out_values + to);
        return;
    }
    // Neighbouring threads now have neighbouring keys of the same digit, with few exceptions.
    unsigned to[S::items];
#pragma unroll
    for (int i = 0; i < S::items; i++) key[i] = sorted[t + i * S::threads];
#pragma unroll
    for (int i = 0; i < S::items; i++) to[i] = offset[digit_of<8>(key[i], p.shift)] + t + i * S::threads;
    store_to<S>(key, to, size, p.out);
    if (pairs) {
        unsigned* sorted_values = (unsigned*)sorted;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < S::items; i++) sorted_values[rank[i]] = value[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < S::items; i++) value[i] = sorted_values[t + i * S::threads];
        store_to<S>(value, to, size, p.out_values);
    }
}

// The kernels are named by their threads and by the bytes of keys that a thread has.
extern "C" __global__ void __launch_bounds__(256, 4) sweep_u32_256x80(Pass<unsigned> p) { sweep<Shape<256, 20>, unsigned, false, by_ballots>(p); }
extern "C" __global__ void __launch_bounds__(384, 3) sweep_u32_384x64(Pass<unsigned> p) { sweep<Shape<384, 16>, unsigned, false, by_ballots>(p); }
extern "C" __global__ void __launch_bounds__(512, 2) sweep_u32_512x48(Pass<unsigned> p) { sweep<Shape<512, 12>, unsigned, false, by_ballots>(p); }
extern "C" __global__ void __launch_bounds__(384, 3) sweep_match_u32_384x64(Pass<unsigned> p) { sweep<Shape<384, 16>, unsigned, false, by_match>(p); }

extern "C" __global__ void __launch_bounds__(256, 3) sweep_pairs_256x80(Pass<unsigned> p) { sweep<Shape<256, 20>, unsigned, true, by_ballots>(p); }
extern "C" __global__ void __launch_bounds__(384, 2) sweep_pairs_384x64(Pass<unsigned> p) { sweep<Shape<384, 16>, unsigned, true, by_ballots>(p); }
extern "C" __global__ void __launch_bounds__(512, 2) sweep_pairs_512x48(Pass<unsigned> p) { sweep<Shape<512, 12>, unsigned, true, by_ballots>(p); }
extern "C" __global__ void __launch_bounds__(384, 2) sweep_match_pairs_384x64(Pass<unsigned> p) { sweep<Shape<384, 16>, unsigned, true, by_match>(p); }

extern "C" __global__ void __launch_bounds__(256, 4) sweep_u64_256x80(Pass<word> p) { sweep<Shape<256, 10>, word, false, by_ballots>(p); }
extern "C" __global__ void __launch_bounds__(384, 3) sweep_u64_384x64(Pass<word> p) { sweep<Shape<384, 8>, word, false, by_ballots>(p); }
extern "C" __global__ void __launch_bounds__(512, 2) sweep_u64_512x48(Pass<word> p) { sweep<Shape<512, 6>, word, false, by_ballots>(p); }
extern "C" __global__ void __launch_bounds__(384, 3) sweep_match_u64_384x64(Pass<word> p) { sweep<Shape<384, 8>, word, false, by_match>(p); }

// ---- 3: up to the ranks as in 2. `copied` holds a tile's keys, and then its values.
template <class S, class K, bool pairs>
__device__ void sweep_large(const Pass<K>& p) {
    __shared__ unsigned next[S::warps][256];
    __shared__ unsigned offset[256];
    __shared__ unsigned sums[2][8];
    __shared__ unsigned drawn;
    K* sorted = (K*)copied;
    unsigned* sorted_values = (unsigned*)(sorted + S::tile);
    unsigned t = threadIdx.x;
    if (t == 0) drawn = atomicAdd(p.ticket, 1u);
    for (unsigned i = t; i < S::warps * 256; i += S::threads) next[0][i] = 0;
    __syncthreads();
    unsigned tile = drawn, first = tile * S::tile, size = min((unsigned)S::tile, p.n - first);
    K key[S::items];
    unsigned value[S::items];
    load<S>(p.in + first, size, key);
    if (pairs) load<S>(p.in_values + first, size, value);
#pragma unroll
    for (int i = 0; i < S::items; i++) atomicAdd(&next[warp_id()][digit_of<8>(key[i], p.shift)], 1u);
    __syncthreads();

    unsigned count = 0;
    unsigned* state = p.states + (size_t)tile * 256 + t;
    if (t < 256) {
#pragma unroll
        for (int w = 0; w < S::warps; w++) count += next[w][t];
        if (tile > 0) publish(state, own, count);
        p.next_states[(size_t)tile * 256 + t] = 0;
    }
    unsigned place = smaller_digits(count, sums[0]);
    unsigned before_all = 0;
    if (tile == 0) before_all = smaller_digits(t < 256 ? p.counts[t] : 0, sums[1]);
    if (t < 256) {
        unsigned to = place;
#pragma unroll
        for (int w = 0; w < S::warps; w++) {
            unsigned of_warp = next[w][t];
            next[w][t] = to;
            to += of_warp;
        }
    }
    bool in_order = __syncthreads_or(count == S::tile);
    if (!in_order) {
#pragma unroll
        for (int i = 0; i < S::items; i++) {
            unsigned r = rank_of<8, by_ballots>(digit_of<8>(key[i], p.shift), next[warp_id()]);
            sorted[r] = key[i];
            if (pairs) sorted_values[r] = value[i];
        }
    }
    if (t < 256) {
        unsigned before = tile > 0 ? look_back<256>(p.states + t, tile) : before_all;
        publish(state, prefix, before + count);
        offset[t] = before - place;
    }
    __syncthreads();

    if (in_order) {
        unsigned to = offset[digit_of<8>(key[0], p.shift)];
        store<S>(key, size, p.out + to);
        if (pairs) store<S>(value, size, p.out_values + to);
        return;
    }
#pragma unroll
    for (int i = 0; i < S::items; i++) {
        unsigned at = t + i * S::threads;
        if (size < S::tile && at >= size) break;
        K k = sorted[at];
        unsigned to = offset[digit_of<8>(k, p.shift)] + at;
        p.out[to] = k;
        if (pairs) p.out_values[to] = sorted_values[at];
    }
}

extern "C" __global__ void __launch_bounds__(512, 2) sweep_large_u32_512x112(Pass<unsigned> p) { sweep_large<Shape<512, 28>, unsigned, false>(p); }
extern "C" __global__ void __launch_bounds__(640, 1) sweep_large_pairs_640x112(Pass<unsigned> p) { sweep_large<Shape<640, 28>, unsigned, true>(p); }
extern "C" __global__ void __launch_bounds__(384, 2) sweep_large_u64_384x192(Pass<word> p) { sweep_large<Shape<384, 24>, word, false>(p); }

// ---- 4: which of two keys with the same digit draws the smaller number is chance; and a thread's first key draws
// before its neighbour's, but a thread's second key after all of these.
extern "C" __global__ void __launch_bounds__(256) scatter_unstable(const unsigned* in, const unsigned* in_values,
                                                                   unsigned* out, unsigned* out_values,
                                                                   const unsigned* counts, unsigned n, unsigned shift) {
    __shared__ unsigned next[16];
    unsigned first = blockIdx.x * Small::tile + threadIdx.x * Small::items;
    if (threadIdx.x < 16) next[threadIdx.x] = counts[threadIdx.x * gridDim.x + blockIdx.x];
    __syncthreads();
    for (unsigned i = first; i < first + Small::items && i < n; i++) {
        unsigned place = atomicAdd(&next[digit_of<4>(in[i], shift)], 1u);
        out[place] = in[i];
        out_values[place] = in_values[i];
    }
}
