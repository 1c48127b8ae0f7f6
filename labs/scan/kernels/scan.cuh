// Scan in tiles: what a block does with its tile, and how a tile learns the sum of the tiles before it.
// Blocks may have any size; the last warp may be partial.
#pragma once

typedef unsigned long long word;

// A block's tile in registers. A thread holds V vectors of four elements. The vectors of a warp are adjacent in
// memory, lane by lane, so that loads and stores are 16 bytes per lane and coalesced.
template <class T> struct alignas(16) Four { T v[4]; };

// This thread's place: its warp and lane, the number of lanes in its warp with their mask, and the number of warps.
struct ThreadPlace {
    unsigned warp, lane, lanes, mask, warps;
};

__device__ ThreadPlace place() {
    ThreadPlace p;
    p.warp = threadIdx.x / 32;
    p.lane = threadIdx.x % 32;
    p.lanes = min(32u, blockDim.x - p.warp * 32);
    p.mask = p.lanes == 32 ? 0xffffffffu : (1u << p.lanes) - 1;
    p.warps = (blockDim.x + 31) / 32;
    return p;
}

template <class T>
__device__ T warp_inclusive(T v, ThreadPlace p) {
    for (unsigned d = 1; d < 32; d *= 2) {
        T left = __shfl_up_sync(p.mask, v, d);
        if (p.lane >= d) v += left;
    }
    return v;
}

// The index of the first element of this thread's vector k within the tile.
template <int V>
__device__ unsigned at(ThreadPlace p, int k) { return p.warp * 32 * 4 * V + k * p.lanes * 4 + p.lane * 4; }

// Loads the tile that begins at element `first`; elements at n and beyond count as 0.
template <class T, int V>
__device__ void load(const T* x, size_t first, size_t n, ThreadPlace p, Four<T> (&v)[V]) {
    if (first + (size_t)blockDim.x * 4 * V <= n) {
#pragma unroll
        for (int k = 0; k < V; k++) v[k] = *(const Four<T>*)(x + first + at<V>(p, k));
    } else {
        unsigned left = first < n ? (unsigned)(n - first) : 0; // less than a tile
#pragma unroll
        for (int k = 0; k < V; k++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned i = at<V>(p, k) + j;
                v[k].v[j] = i < left ? x[first + i] : T(0);
            }
    }
}

template <class T, int V>
__device__ void store(T* out, size_t first, size_t n, ThreadPlace p, const Four<T> (&v)[V]) {
    if (first + (size_t)blockDim.x * 4 * V <= n) {
#pragma unroll
        for (int k = 0; k < V; k++) *(Four<T>*)(out + first + at<V>(p, k)) = v[k];
    } else {
        unsigned left = first < n ? (unsigned)(n - first) : 0;
#pragma unroll
        for (int k = 0; k < V; k++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                unsigned i = at<V>(p, k) + j;
                if (i < left) out[first + i] = v[k].v[j];
            }
    }
}

// The warp's total, in its last lane: it is known long before the scan.
template <class T, int V>
__device__ T warp_total(const Four<T> (&v)[V], ThreadPlace p) {
    T sum = T(0);
#pragma unroll
    for (int k = 0; k < V; k++) sum += v[k].v[0] + v[k].v[1] + v[k].v[2] + v[k].v[3];
    return warp_inclusive(sum, p);
}

// before[k] becomes the sum of what lies before vector k in this warp's part.
template <class T, int V>
__device__ void scan_warp(const Four<T> (&v)[V], ThreadPlace p, T (&before)[V]) {
    T total = T(0);
#pragma unroll
    for (int k = 0; k < V; k++) {
        T sum = warp_inclusive(v[k].v[0] + v[k].v[1] + v[k].v[2] + v[k].v[3], p);
        T left = __shfl_up_sync(p.mask, sum, 1);
        before[k] = total + (p.lane > 0 ? left : T(0));
        total += __shfl_sync(p.mask, sum, p.lanes - 1);
    }
}

// Replaces each element by its prefix, given the sum of all that lies before this warp's part.
template <class T, int V>
__device__ void finish(Four<T> (&v)[V], const T (&before)[V], T prefix, bool inclusive) {
#pragma unroll
    for (int k = 0; k < V; k++) {
        T sum = prefix + before[k];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            T element = v[k].v[j], with = sum + element;
            v[k].v[j] = inclusive ? with : sum;
            sum = with;
        }
    }
}

// Called by warp 0: replaces each warp's total by the sum of the warps before it; returns the block's total.
template <class T>
__device__ T scan_totals(T* of_warp, ThreadPlace p) {
    T mine = p.lane < p.warps ? of_warp[p.lane] : T(0);
    T sum = warp_inclusive(mine, p);
    T left = __shfl_up_sync(p.mask, sum, 1);
    if (p.lane < p.warps) of_warp[p.lane] = p.lane > 0 ? left : T(0);
    return __shfl_sync(p.mask, sum, p.warps - 1);
}

// Decoupled look-back. A tile's state is one 64-bit word: the flag in the upper half, a 32-bit value in the lower.
// It is stored and loaded as a whole, so a thread that sees the flag has the value: no fence is needed. All begin as 0.
constexpr unsigned empty = 0;  // nothing is known
constexpr unsigned own = 1;    // the value is the tile's own sum
constexpr unsigned prefix = 2; // the value is the sum of everything up to the tile's end

__device__ unsigned bits(float v) { return __float_as_uint(v); }
__device__ unsigned bits(unsigned v) { return v; }
__device__ void value(word w, float& v) { v = __uint_as_float((unsigned)w); }
__device__ void value(word w, unsigned& v) { v = (unsigned)w; }

__device__ void publish(word* state, unsigned flag, unsigned bits) {
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(state), "l"((word)flag << 32 | bits) : "memory");
}

__device__ word look(const word* state) {
    word w;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(w) : "l"(state) : "memory");
    return w;
}

// Called by warp 0 of every tile but the first: the sum of all earlier tiles. Each lane reads the states of four
// predecessors, so that 128 are read in one trip to the L2 cache; lane 0 of group 0 has the nearest.
template <class T>
__device__ T look_back(const word* states, unsigned tile, ThreadPlace p) {
    constexpr int groups = 4;
    T sum = T(0);
    for (int nearest = (int)tile - 1;; nearest -= groups * (int)p.lanes) {
        word w[groups];
#pragma unroll
        for (int g = 0; g < groups; g++) {
            int i = nearest - g * (int)p.lanes - (int)p.lane;
            w[g] = i >= 0 ? look(&states[i]) : (word)prefix << 32;
        }
#pragma unroll
        for (int g = 0; g < groups; g++) {
            int i = nearest - g * (int)p.lanes - (int)p.lane;
            unsigned known, wanted;
            for (;;) {
                unsigned flag = (unsigned)(w[g] >> 32);
                known = __ballot_sync(p.mask, flag == prefix);
                // The own sums of the tiles that are nearer than the nearest known prefix are wanted.
                wanted = known ? (known & (0u - known)) - 1 : p.mask;
                if ((__ballot_sync(p.mask, flag == empty) & wanted) == 0) break;
                if (flag == empty) w[g] = look(&states[i]);
            }
            bool counts = ((wanted | (known & (0u - known))) >> p.lane & 1) != 0;
            T v;
            value(w[g], v);
            T total = warp_inclusive(counts ? v : T(0), p);
            sum += __shfl_sync(p.mask, total, p.lanes - 1);
            if (known) return sum;
        }
    }
}
