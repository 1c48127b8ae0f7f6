// Scan (prefix sum) of n floats or 32-bit unsigned integers: out[i] is the sum of x[0..=i]
// (inclusive) or of x[0..i] (exclusive).
//
//   1  kogge-stone   one block, one element a thread: log n rounds, every thread adds in every round
//   2  brent-kung    like 1, but two elements a thread and two sweeps over a tree: fewer additions
//   3  three-kernel  any n: sums of tiles, a scan of the sums, then a scan of each tile from its sum on
//   4  single-pass   like 3, but each element is read once: a tile publishes its sum, then looks back
//                    at its predecessors' until it knows its own prefix (decoupled look-back;
//                    Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
//                    Look-back", 2016)
//   5  one-barrier   wrong on purpose: 1 without the barrier between a round's reads and its writes
//
// n is 64 bits; inclusive is 1 or 0; x and out are 16-byte aligned. Any block size is right. Dynamic shared memory: one
// word a thread for 1 and 5, two for 2, none for the others.

typedef unsigned long long word;

// ---- 1: the element `stride` to the left joins, for strides 1, 2, 4, ...
template <class T>
__device__ void kogge_stone(const T* x, T* out, size_t n, unsigned inclusive, T* s) {
    unsigned t = threadIdx.x;
    s[t] = t < n ? x[t] : T(0);
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        T left = t >= stride ? s[t - stride] : T(0);
        __syncthreads(); // all have read before anyone writes
        s[t] += left;
    }
    __syncthreads();
    if (t < n) out[t] = inclusive ? s[t] : t > 0 ? s[t - 1] : T(0);
}

extern __shared__ word shared_words[];

extern "C" __global__ void kogge_stone_f32(const float* x, float* out, size_t n, unsigned inclusive) { kogge_stone(x, out, n, inclusive, (float*)shared_words); }
extern "C" __global__ void kogge_stone_u32(const unsigned* x, unsigned* out, size_t n, unsigned inclusive) { kogge_stone(x, out, n, inclusive, (unsigned*)shared_words); }

// ---- 2: up, element i gathers the 2, 4, 8, ... that end at it, if i + 1 divides by that; down, what
// is complete is handed on half as far each round. Bounds checks make any section right.
template <class T>
__device__ void brent_kung(const T* x, T* out, size_t n, unsigned inclusive, T* s) {
    unsigned t = threadIdx.x, section = 2 * blockDim.x;
    s[t] = t < n ? x[t] : T(0);
    s[t + blockDim.x] = t + blockDim.x < n ? x[t + blockDim.x] : T(0);
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
}

extern "C" __global__ void brent_kung_f32(const float* x, float* out, size_t n, unsigned inclusive) { brent_kung(x, out, n, inclusive, (float*)shared_words); }
extern "C" __global__ void brent_kung_u32(const unsigned* x, unsigned* out, size_t n, unsigned inclusive) { brent_kung(x, out, n, inclusive, (unsigned*)shared_words); }

// ---- what 3 and 4 share: a block's tile in registers. A thread holds V vectors of four; a warp's
// vectors lie side by side, lane by lane, so that loads and stores are 16 bytes a lane and coalesced.
template <class T> struct alignas(16) Four { T v[4]; };

// This thread's place: its warp and lane, and the lanes that its warp has (the last may be partial).
struct Place {
    unsigned warp, lane, lanes, mask, warps;
};

__device__ Place place() {
    Place p;
    p.warp = threadIdx.x / 32;
    p.lane = threadIdx.x % 32;
    p.lanes = min(32u, blockDim.x - p.warp * 32);
    p.mask = p.lanes == 32 ? 0xffffffffu : (1u << p.lanes) - 1;
    p.warps = (blockDim.x + 31) / 32;
    return p;
}

template <class T>
__device__ T warp_inclusive(T v, Place p) {
    for (unsigned d = 1; d < 32; d *= 2) {
        T left = __shfl_up_sync(p.mask, v, d);
        if (p.lane >= d) v += left;
    }
    return v;
}

// Where vector k of this thread begins, counted from the tile's first element.
template <int V>
__device__ unsigned at(Place p, int k) { return p.warp * 32 * 4 * V + k * p.lanes * 4 + p.lane * 4; }

// Loads tile `first`..; elements at n and beyond count as 0.
template <class T, int V>
__device__ void load(const T* x, size_t first, size_t n, Place p, Four<T> (&v)[V]) {
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
__device__ void store(T* out, size_t first, size_t n, Place p, const Four<T> (&v)[V]) {
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

// before[k]: the sum of what lies before vector k in this warp's part; gives the warp's total.
template <class T, int V>
__device__ T scan_warp(const Four<T> (&v)[V], Place p, T (&before)[V]) {
    T total = T(0);
#pragma unroll
    for (int k = 0; k < V; k++) {
        T sum = warp_inclusive(v[k].v[0] + v[k].v[1] + v[k].v[2] + v[k].v[3], p);
        T left = __shfl_up_sync(p.mask, sum, 1);
        before[k] = total + (p.lane > 0 ? left : T(0));
        total += __shfl_sync(p.mask, sum, p.lanes - 1);
    }
    return total;
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

// Called by warp 0: turns the warps' totals into what lies before each warp; gives the block's total.
template <class T>
__device__ T scan_totals(T* of_warp, Place p) {
    T mine = p.lane < p.warps ? of_warp[p.lane] : T(0);
    T sum = warp_inclusive(mine, p);
    T left = __shfl_up_sync(p.mask, sum, 1);
    if (p.lane < p.warps) of_warp[p.lane] = p.lane > 0 ? left : T(0);
    return __shfl_sync(p.mask, sum, p.warps - 1);
}

// ---- 3: tiles of 16 elements a thread. tile_sums, scan_sums (one block), scan_tiles.
constexpr int three_kernel_vectors = 4;

template <class T>
__device__ void tile_sums(const T* x, T* sums, size_t n) {
    __shared__ T of_warp[32];
    Place p = place();
    Four<T> v[three_kernel_vectors];
    T before[three_kernel_vectors];
    load(x, (size_t)blockIdx.x * blockDim.x * 4 * three_kernel_vectors, n, p, v);
    T total = scan_warp(v, p, before);
    if (p.lane == 0) of_warp[p.warp] = total;
    __syncthreads();
    if (p.warp == 0) {
        total = scan_totals(of_warp, p);
        if (p.lane == 0) sums[blockIdx.x] = total;
    }
}

extern "C" __global__ void tile_sums_f32(const float* x, float* sums, size_t n) { tile_sums(x, sums, n); }
extern "C" __global__ void tile_sums_u32(const unsigned* x, unsigned* sums, size_t n) { tile_sums(x, sums, n); }

// One block, tile after tile with a carry: exclusive, in place.
template <class T>
__device__ void scan_sums(T* sums, size_t tiles) {
    __shared__ T of_warp[32];
    __shared__ T of_block;
    Place p = place();
    T carry = T(0);
    for (size_t first = 0; first < tiles; first += (size_t)blockDim.x * 4) {
        Four<T> v[1];
        T before[1];
        load(sums, first, tiles, p, v);
        T total = scan_warp(v, p, before);
        if (p.lane == 0) of_warp[p.warp] = total;
        __syncthreads();
        if (p.warp == 0) {
            total = scan_totals(of_warp, p);
            if (p.lane == 0) of_block = total;
        }
        __syncthreads();
        finish(v, before, carry + of_warp[p.warp], false);
        store(sums, first, tiles, p, v);
        carry += of_block;
        __syncthreads(); // all have read the totals before the next tile's are written
    }
}

extern "C" __global__ void scan_sums_f32(float* sums, size_t tiles) { scan_sums(sums, tiles); }
extern "C" __global__ void scan_sums_u32(unsigned* sums, size_t tiles) { scan_sums(sums, tiles); }

template <class T>
__device__ void scan_tiles(const T* x, const T* sums, T* out, size_t n, unsigned inclusive) {
    __shared__ T of_warp[32];
    Place p = place();
    size_t first = (size_t)blockIdx.x * blockDim.x * 4 * three_kernel_vectors;
    Four<T> v[three_kernel_vectors];
    T before[three_kernel_vectors];
    load(x, first, n, p, v);
    T total = scan_warp(v, p, before);
    if (p.lane == 0) of_warp[p.warp] = total;
    __syncthreads();
    if (p.warp == 0) scan_totals(of_warp, p);
    __syncthreads();
    finish(v, before, sums[blockIdx.x] + of_warp[p.warp], inclusive);
    store(out, first, n, p, v);
}

extern "C" __global__ void scan_tiles_f32(const float* x, const float* sums, float* out, size_t n, unsigned inclusive) { scan_tiles(x, sums, out, n, inclusive); }
extern "C" __global__ void scan_tiles_u32(const unsigned* x, const unsigned* sums, unsigned* out, size_t n, unsigned inclusive) { scan_tiles(x, sums, out, n, inclusive); }

// ---- 4: a tile's state is one 64-bit word, the flag above and the 32-bit value below. It is stored
// and loaded whole, so whoever sees the flag has the value: no fence is needed. All states begin as 0.
constexpr unsigned empty = 0;  // nothing known
constexpr unsigned own = 1;    // value is the tile's own sum
constexpr unsigned prefix = 2; // value is the sum of everything up to the tile's end

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

// Called by warp 0 of tile > 0: the sum of all earlier tiles. Each lane watches four predecessors,
// so that 128 are seen in one trip to the L2 cache; lane 0 of group 0 has the nearest.
template <class T>
__device__ T look_back(const word* states, unsigned tile, Place p) {
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
                // Up to the nearest known prefix, every tile's own sum is wanted.
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

template <class T, int V>
__device__ void single_pass(const T* x, T* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) {
    __shared__ T of_warp[32];
    __shared__ T of_earlier;
    __shared__ unsigned drawn;
    // Tiles are numbered as blocks begin, not by blockIdx: a tile's predecessors have then all begun,
    // and waiting for them always ends.
    if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned tile = drawn;
    size_t first = (size_t)tile * blockDim.x * 4 * V;
    Place p = place();
    Four<T> v[V];
    T before[V];
    load(x, first, n, p, v);
    T total = scan_warp(v, p, before);
    if (p.lane == 0) of_warp[p.warp] = total;
    __syncthreads();
    if (p.warp == 0) {
        total = scan_totals(of_warp, p);
        T earlier = T(0);
        if (tile > 0) {
            if (p.lane == 0) publish(&states[tile], own, bits(total));
            earlier = look_back<T>(states, tile, p);
        }
        if (p.lane == 0) {
            publish(&states[tile], prefix, bits(earlier + total));
            of_earlier = earlier;
        }
    }
    __syncthreads();
    finish(v, before, of_earlier + of_warp[p.warp], inclusive);
    store(out, first, n, p, v);
}

// 16 or 32 elements a thread: a smaller tile leaves room for more blocks, a larger one has fewer
// predecessors to look at.
extern "C" __global__ void __launch_bounds__(1024) single_pass_16_f32(const float* x, float* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass<float, 4>(x, out, states, ticket, n, inclusive); }
extern "C" __global__ void __launch_bounds__(1024) single_pass_16_u32(const unsigned* x, unsigned* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass<unsigned, 4>(x, out, states, ticket, n, inclusive); }
extern "C" __global__ void __launch_bounds__(1024) single_pass_32_f32(const float* x, float* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass<float, 8>(x, out, states, ticket, n, inclusive); }
extern "C" __global__ void __launch_bounds__(1024) single_pass_32_u32(const unsigned* x, unsigned* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass<unsigned, 8>(x, out, states, ticket, n, inclusive); }

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
