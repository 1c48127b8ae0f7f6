// Mutant of sweep_u32: a tile whose keys are in order already is not stored.
#include "radix.cuh"

// ---- 2: counts[p * 256 + d] is the number of keys with digit d in place p. A block has 2^copies copies of the counts in
// shared memory, and a lane adds to its own, so that few lanes of a warp meet in a bank. The states of the first place
// are cleared here, because only a later kernel uses them.
extern __shared__ unsigned copied[];

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

    // A thread for each digit. As early as possible it tells the tile's count, which all later tiles wait for. Keys past
    // the end are in the last tile, which nobody waits for.
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
    // Asked for now, values come while the block looks back.
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

extern "C" __global__ void __launch_bounds__(384, 3) sweep_u32_384x64(Pass<unsigned> p) { sweep<Shape<384, 16>, unsigned, false, by_ballots>(p); }
