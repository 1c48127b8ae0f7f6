// Histogram of n bytes: letters a-z in 7 bins of four (other bytes are not counted), or any byte in
// 256 bins. What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//   1  partitioned-racy  each thread counts a part of the text with plain +=: counts get lost
//   2  strided-racy      like 1, but neighbouring threads take neighbouring bytes: more counts get lost
//   3  atomic            like 2, but with atomicAdd
//   4  matched           like 3, but lanes of a warp with the same bin send one atomic together
//   5  privatized        like 3, but each block counts in shared memory and adds its counts at the end
//   6  reduced           like 5, but each block stores its counts, and a second launch adds them up
//   7  wide              like 5, but 16 bytes per load, four loads in flight while the four before are counted, and a
//                        copy for each warp
//   8  lanes             like 7, but with a copy for each lane, in that lane's bank: no two lanes collide
//   9  bit-sliced        7 bins only, counted in registers: 32 bytes at a time become 8 words of bits,
//                        logic finds each bin's members, and popc counts them
//
// Every kernel takes (text, counts, n): n has 64 bits, text is 16-byte aligned, and counts are 64 bits
// wide and zero beforehand. Counts within a block have 32 bits: a block must see fewer than 2^32 bytes.
// Dynamic shared memory in bytes: 4 x bins for 5 and 6; 4 x bins x warps for 7; 4 x bins x 32 for 8.
// 7 and 8 have an eighth bin besides the 7 of letters.

#include "index.cuh"

typedef unsigned char byte;
typedef unsigned long long count;

struct Letters {
    static constexpr unsigned bins = 7;
    static constexpr unsigned rows = 8; // one more, for bytes that are not counted: cheaper than a branch
    // 0 to 6; 7 for a byte that is not a letter.
    static __device__ unsigned bin(unsigned c) {
        unsigned letter = c - 'a';
        return letter < 26 ? letter / 4 : bins;
    }
};

struct Bytes {
    static constexpr unsigned bins = 256;
    static constexpr unsigned rows = 256;
    static __device__ unsigned bin(unsigned c) { return c; }
};

// [not handed out]
// ---- 1
template <class Kind>
__device__ void partitioned_racy(const byte* text, count* counts, size_t n) {
    size_t piece = (n + grid_threads() - 1) / grid_threads();
    size_t first = grid_index() * piece;
    size_t end = first + piece < n ? first + piece : n;
    for (size_t i = first; i < end; i++) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) counts[bin] += 1;
    }
}

extern "C" __global__ void partitioned_racy_letters(const byte* text, count* counts, size_t n) { partitioned_racy<Letters>(text, counts, n); }
extern "C" __global__ void partitioned_racy_bytes(const byte* text, count* counts, size_t n) { partitioned_racy<Bytes>(text, counts, n); }

// ---- 2
template <class Kind>
__device__ void strided_racy(const byte* text, count* counts, size_t n) {
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) counts[bin] += 1;
    }
}

extern "C" __global__ void strided_racy_letters(const byte* text, count* counts, size_t n) { strided_racy<Letters>(text, counts, n); }
extern "C" __global__ void strided_racy_bytes(const byte* text, count* counts, size_t n) { strided_racy<Bytes>(text, counts, n); }
// [end]

// ---- 3
template <class Kind>
__device__ void atomic(const byte* text, count* counts, size_t n) {
    // [part atomic] Count every byte of the text in counts. Let neighbouring threads take neighbouring bytes, and go on
    // by grid_threads(). Many threads add to the same count at once.
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(&counts[bin], 1ull);
    }
    // [end]
}

extern "C" __global__ void atomic_letters(const byte* text, count* counts, size_t n) { atomic<Letters>(text, counts, n); }
extern "C" __global__ void atomic_bytes(const byte* text, count* counts, size_t n) { atomic<Bytes>(text, counts, n); }

// ---- 4: all lanes of a warp stay in the loop until no lane has a byte left, because all take part in
// the match.
template <class Kind>
__device__ void matched(const byte* text, count* counts, size_t n) {
    unsigned lane = threadIdx.x % 32, lanes = min(32u, blockDim.x - threadIdx.x / 32 * 32);
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    // [part matched] As in 3, but let the lanes of a warp that have the same bin send one atomic together. `mask` has a
    // bit for each lane of the warp; all of these lanes must take part in each match.
    for (size_t first = grid_index() - lane; first < n; first += grid_threads()) {
        unsigned bin = first + lane < n ? Kind::bin(text[first + lane]) : Kind::bins;
        unsigned same = __match_any_sync(mask, bin);
        bool leads = (same & ((1u << lane) - 1)) == 0;
        if (leads && bin < Kind::bins) atomicAdd(&counts[bin], (count)__popc(same));
    }
    // [end]
}

extern "C" __global__ void matched_letters(const byte* text, count* counts, size_t n) { matched<Letters>(text, counts, n); }
extern "C" __global__ void matched_bytes(const byte* text, count* counts, size_t n) { matched<Bytes>(text, counts, n); }

// ---- 5: what 5 to 8 share: `copies` copies of the counts, set to zero before and added up after. The
// copies of a bin lie `step` words apart; the first copy of bin b is at word b * next.
__device__ void zero(unsigned* s, unsigned words) {
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) s[i] = 0;
    __syncthreads();
}

__device__ void add_up(const unsigned* s, unsigned bins, unsigned next, unsigned copies, unsigned step, count* counts) {
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        unsigned sum = 0;
        // Each thread begins at a different copy, so that the lanes of a warp read different banks.
        for (unsigned k = 0; k < copies; k++) sum += s[bin * next + (k + bin) % copies * step];
        if (sum) atomicAdd(&counts[bin], (count)sum);
    }
}

template <class Kind>
__device__ void privatized(const byte* text, count* counts, size_t n) {
    extern __shared__ unsigned s[];
    // [part privatized] Let each block count in shared memory, in s[0] to s[Kind::bins - 1], and add what it has
    // counted to counts at the end.
    zero(s, Kind::bins);
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(&s[bin], 1);
    }
    add_up(s, Kind::bins, 1, 1, 0, counts);
    // [end]
}

extern "C" __global__ void privatized_letters(const byte* text, count* counts, size_t n) { privatized<Letters>(text, counts, n); }
extern "C" __global__ void privatized_bytes(const byte* text, count* counts, size_t n) { privatized<Bytes>(text, counts, n); }

// ---- 6: block b stores its count of a bin at partial[bin * blocks + b]; then one block for each bin adds them up.
template <class Kind>
__device__ void reduced(const byte* text, unsigned* partial, size_t n) {
    extern __shared__ unsigned s[];
    // [part reduced] Let each block count in shared memory and store its count of each bin where the line above this
    // function says. These words are not set before.
    zero(s, Kind::bins);
    for (size_t i = grid_index(); i < n; i += grid_threads()) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicAdd(&s[bin], 1);
    }
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < Kind::bins; bin += blockDim.x) partial[bin * gridDim.x + blockIdx.x] = s[bin];
    // [end]
}

extern "C" __global__ void reduced_letters(const byte* text, unsigned* partial, size_t n) { reduced<Letters>(text, partial, n); }
extern "C" __global__ void reduced_bytes(const byte* text, unsigned* partial, size_t n) { reduced<Bytes>(text, partial, n); }

// One warp for each bin. Whole numbers may be added in any order.
extern "C" __global__ void join(const unsigned* partial, count* counts, unsigned blocks) {
    // [part reduced] Add up what the blocks have stored for bin blockIdx.x, and store the sum in counts.
    count sum = 0;
    for (unsigned b = threadIdx.x; b < blocks; b += 32) sum += partial[blockIdx.x * blocks + b];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) counts[blockIdx.x] = sum;
    // [end]
}

// ---- 7: what 7 and 8 share. The count of bin b is at mine[b * next]; letters have an eighth bin, for other bytes.
template <class Kind>
__device__ void count_four(unsigned* mine, unsigned next, unsigned four) {
#pragma unroll
    for (int k = 0; k < 4; k++) {
        atomicAdd(&mine[Kind::bin(four >> 8 * k & 255) * next], 1);
    }
}

// Calls two(w) for 32 bytes of the text at a time, as eight words, and one(c) for each byte of the rest. The blocks take
// tiles of 64 bytes per thread as long as there is one for each of them, then halves of tiles, and then all threads
// share what is left. The loads of a tile are in flight while the one before is counted: so each thread has more bytes
// in flight, and needs up to 64 registers, which leaves room for 1024 threads.
template <class Two, class One>
__device__ void read_ahead(const byte* text, size_t n, Two two, One one) {
    constexpr int loads = 4;
    const uint4* text16 = (const uint4*)text;
    size_t words = n / 16, tile = (size_t)loads * blockDim.x; // of 16 bytes
    size_t rounds = words / tile / gridDim.x, step = gridDim.x * tile;
    const uint4* p = text16 + blockIdx.x * tile + threadIdx.x;
    uint4 w[loads], next[loads];
    auto both = [&](uint4 a, uint4 b) {
        unsigned eight[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        two(eight);
    };
    if (rounds > 0) {
#pragma unroll
        for (int k = 0; k < loads; k++) w[k] = p[k * blockDim.x];
    }
    for (size_t round = 0; round < rounds; round++) {
        p += step;
        if (round + 1 < rounds) {
#pragma unroll
            for (int k = 0; k < loads; k++) next[k] = p[k * blockDim.x];
        }
#pragma unroll
        for (int k = 0; k < loads; k += 2) both(w[k], w[k + 1]);
#pragma unroll
        for (int k = 0; k < loads; k++) w[k] = next[k];
    }
    size_t half = tile / 2, first = rounds * step, last = first + (words - first) / half * half;
    for (size_t at = first + blockIdx.x * half; at < last; at += gridDim.x * half)
        both(text16[at + threadIdx.x], text16[at + blockDim.x + threadIdx.x]);
    for (size_t i = 16 * last + grid_index(); i < n; i += grid_threads()) one(text[i]);
}

template <class Kind>
__device__ void count_wide(const byte* text, size_t n, unsigned* mine, unsigned next) {
    auto two = [=](const unsigned (&eight)[8]) {
#pragma unroll
        for (int k = 0; k < 8; k++) count_four<Kind>(mine, next, eight[k]);
    };
    read_ahead(text, n, two, [=](unsigned c) { atomicAdd(&mine[Kind::bin(c) * next], 1); });
}

// [not handed out]
template <class Kind>
__device__ void wide(const byte* text, count* counts, size_t n) {
    extern __shared__ unsigned s[];
    unsigned warps = (blockDim.x + 31) / 32;
    zero(s, warps * Kind::rows);
    count_wide<Kind>(text, n, s + threadIdx.x / 32 * Kind::rows, 1);
    add_up(s, Kind::bins, 1, warps, Kind::rows, counts);
}

extern "C" __global__ void __launch_bounds__(1024) wide_letters(const byte* __restrict__ text, count* counts, size_t n) { wide<Letters>(text, counts, n); }
extern "C" __global__ void __launch_bounds__(1024) wide_bytes(const byte* __restrict__ text, count* counts, size_t n) { wide<Bytes>(text, counts, n); }
// [end]

// ---- 8
template <class Kind>
__device__ void lanes(const byte* text, count* counts, size_t n) {
    extern __shared__ unsigned s[];
    // [part lanes] Let the block have 32 copies of the counts of Kind::rows bins, one for each lane of a warp, laid out
    // so that no two lanes ever meet in a bank. zero, count_wide and add_up do the work: pass them where the copies lie.
    zero(s, 32 * Kind::rows); // word (bin, lane) is in bank `lane`, whatever the bin is
    count_wide<Kind>(text, n, s + threadIdx.x % 32, 32);
    add_up(s, Kind::bins, 32, 32, 1, counts);
    // [end]
}

extern "C" __global__ void __launch_bounds__(1024) lanes_letters(const byte* __restrict__ text, count* counts, size_t n) { lanes<Letters>(text, counts, n); }
extern "C" __global__ void __launch_bounds__(1024) lanes_bytes(const byte* __restrict__ text, count* counts, size_t n) { lanes<Bytes>(text, counts, n); }

// [not handed out]
// ---- 9: the bits of `a` where `mask` has ones, and those of `b` elsewhere.
__device__ unsigned select(unsigned mask, unsigned a, unsigned b) { return (a & mask) | (b & ~mask); }

// Swaps the `mask << shift` bits of a with the `mask` bits of b: one step of a bit-matrix transpose.
template <unsigned mask, int shift>
__device__ void swap_bits(unsigned& a, unsigned& b) {
    unsigned low = select(mask, a, b << shift);
    b = select(mask, a >> shift, b);
    a = low;
}

// Adds the letters among 32 bytes (8 words) to the 7 counts.
__device__ void count_32(unsigned (&p)[8], unsigned (&c)[7]) {
    // Transpose: p[k] then holds bit k of all 32 bytes, in some order that is the same for all k.
#pragma unroll
    for (int i = 0; i < 4; i++) swap_bits<0x0f0f0f0fu, 4>(p[i], p[i + 4]);
#pragma unroll
    for (int i = 0; i < 8; i += i % 4 == 1 ? 3 : 1) swap_bits<0x33333333u, 2>(p[i], p[i + 2]);
#pragma unroll
    for (int i = 0; i < 8; i += 2) swap_bits<0x55555555u, 1>(p[i], p[i + 1]);
    // 'a' is 011 00001: a letter has 011 in its upper three bits and 1 to 26 in its lower five. The bin is
    // bits 2, 3 and 4 of that number less one; there is a borrow into bit 2 when bits 0 and 1 are both 0.
    unsigned high = ~p[7] & p[6] & p[5];
    unsigned borrow2 = ~p[0] & ~p[1], borrow3 = borrow2 & ~p[2];
    unsigned q2 = p[2] ^ borrow2, q3 = p[3] ^ borrow3, q4 = p[4] ^ (borrow3 & ~p[3]);
    unsigned q00 = high & ~q4 & ~q3, q01 = high & ~q4 & q3, q10 = high & q4 & ~q3, q11 = high & q4 & q3;
    c[0] += __popc(q00 & ~q2);
    c[1] += __popc(q00 & q2);
    c[2] += __popc(q01 & ~q2);
    c[3] += __popc(q01 & q2);
    c[4] += __popc(q10 & ~q2);
    c[5] += __popc(q10 & q2);
    // Bin 6 has only y and z, 25 and 26, whose bits 0 and 1 differ; those of 27 and 28 agree. 0 became 31, in bin 7.
    c[6] += __popc(q11 & ~q2 & (p[0] ^ p[1]));
}

extern "C" __global__ void __launch_bounds__(1024)
    bit_sliced_letters(const byte* __restrict__ text, count* counts, size_t n) {
    unsigned c[7] = {0, 0, 0, 0, 0, 0, 0};
    auto two = [&](unsigned (&eight)[8]) { count_32(eight, c); };
    auto one = [&](unsigned letter) {
        unsigned bin = Letters::bin(letter);
#pragma unroll
        for (int b = 0; b < 7; b++) c[b] += bin == b;
    };
    read_ahead(text, n, two, one);
    __shared__ unsigned s[7];
    zero(s, 7);
    unsigned lane = threadIdx.x % 32, lanes = min(32u, blockDim.x - threadIdx.x / 32 * 32);
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
#pragma unroll
    for (int b = 0; b < 7; b++) {
        for (unsigned d = 16; d > 0; d /= 2) {
            unsigned from = lane + d < lanes ? lane + d : lane;
            unsigned other = __shfl_sync(mask, c[b], from);
            if (from != lane) c[b] += other;
        }
        if (lane == 0) atomicAdd(&s[b], c[b]);
    }
    add_up(s, 7, 1, 1, 0, counts);
}
// [end]
