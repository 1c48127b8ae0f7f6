// Reduction of n floats to one: their sum, their maximum, or a sum of products (dot).
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//   1  interleaved    a tree in shared memory; partners 1, 2, 4, ... apart
//   2  sequential     like 1, but partners half of the remaining part apart: whole warps finish early
//   3  shuffle        like 2, but the tree runs in registers, warp by warp
//   4  one-block      like 3, but one block walks the whole array
//   5  two-pass       like 4, but a grid of blocks walks it, and a second launch combines their results
//   6  atomic-finish  like 5, but each block combines its result with the total by one atomic
//   7  cas-loop       like 6, but for operations that have no atomic: float maximum, addition of doubles
//   8  vectorized     like 5, but 16-byte loads, several in flight, and the last block to finish
//                     combines the results: one launch
//   9  dot-pow2       dot product of n <= 1024, n a power of two, in one block
//  10  dot-1024       like 9, but any n <= 1024
//  11  padded         like 2, but the block's values are padded with the identity up to a size that the compiler knows
//  12  spin-lock      like 6, but with plain operations, while a lock keeps all other blocks out
//
// Every kernel takes (x, y, ..., n) with n in 64 bits; only dot reads y. Any block size works, powers of
// two or not. Shared memory: one float per thread for 1 and 2, `size` floats for 11, one per warp (32) otherwise.

struct Sum {
    static __device__ float identity() { return 0.0f; }
    static __device__ float combine(float a, float b) { return a + b; }
    static __device__ float one(float x, float) { return x; }
    static constexpr int arrays = 1;
};

struct Max {
    static __device__ float identity() { return __int_as_float(0xff800000); } // -infinity
    static __device__ float combine(float a, float b) { return fmaxf(a, b); }
    static __device__ float one(float x, float) { return x; }
    static constexpr int arrays = 1;
};

struct Dot {
    static __device__ float identity() { return 0.0f; }
    static __device__ float combine(float a, float b) { return a + b; }
    static __device__ float one(float x, float y) { return x * y; }
    static constexpr int arrays = 2;
};

template <class Op>
__device__ float element(const float* x, const float* y, size_t i) {
    return Op::one(x[i], Op::arrays == 2 ? y[i] : 0.0f);
}

// Two elements per thread: the first combination is part of the load.
template <class Op>
__device__ float load_two(const float* x, const float* y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x * 2 + threadIdx.x;
    float v = i < n ? element<Op>(x, y, i) : Op::identity();
    if (i + blockDim.x < n) v = Op::combine(v, element<Op>(x, y, i + blockDim.x));
    return v;
}

// ---- 1: neighbours are combined first. Working threads are 2, 4, 8, ... apart, so every warp stays busy
// with fewer and fewer lanes, and the words in use lie in fewer and fewer banks.
template <class Op>
__device__ void interleaved(const float* x, const float* y, float* partial, size_t n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    s[t] = load_two<Op>(x, y, n);
    __syncthreads();
    // [part interleaved] Combine neighbours first, then what is 2, 4, 8, ... words apart, until s[0] has the block's
    // result, and store it in partial[blockIdx.x]. Any block size must work, powers of two or not.
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < blockDim.x) s[t] = Op::combine(s[t], s[t + stride]);
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = s[0];
    // [end]
}

extern "C" __global__ void interleaved_sum(const float* x, const float* y, float* partial, size_t n) { interleaved<Sum>(x, y, partial, n); }
extern "C" __global__ void interleaved_max(const float* x, const float* y, float* partial, size_t n) { interleaved<Max>(x, y, partial, n); }
extern "C" __global__ void interleaved_dot(const float* x, const float* y, float* partial, size_t n) { interleaved<Dot>(x, y, partial, n); }

// ---- 2: like 1, but the upper half is added to the lower: working threads and words stay adjacent.
template <class Op>
__device__ void sequential(const float* x, const float* y, float* partial, size_t n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x;
    s[t] = load_two<Op>(x, y, n);
    __syncthreads();
    // [part sequential] Like 1, but combine each word of the lower half with one of the upper half, so that the threads
    // that work stay side by side and whole warps finish early. Any block size must work.
    for (unsigned live = blockDim.x; live > 1;) {
        unsigned half = (live + 1) / 2; // rounded up, so that any block size works
        if (t + half < live) s[t] = Op::combine(s[t], s[t + half]);
        __syncthreads();
        live = half;
    }
    if (t == 0) partial[blockIdx.x] = s[0];
    // [end]
}

extern "C" __global__ void sequential_sum(const float* x, const float* y, float* partial, size_t n) { sequential<Sum>(x, y, partial, n); }
extern "C" __global__ void sequential_max(const float* x, const float* y, float* partial, size_t n) { sequential<Max>(x, y, partial, n); }
extern "C" __global__ void sequential_dot(const float* x, const float* y, float* partial, size_t n) { sequential<Dot>(x, y, partial, n); }

// ---- 3: like 2, but lanes exchange values in registers; only one value per warp goes through shared
// memory, with one barrier.

// The result over the first `lanes` lanes of a warp, in lane 0. A lane that has no partner reads its own
// value and ignores it, so a partial warp at the end of a block gives the right result too.
template <class Op>
__device__ float warp_reduce(float v, unsigned lanes) {
    unsigned lane = threadIdx.x % 32;
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (unsigned d = 16; d > 0; d /= 2) {
        unsigned from = lane + d < lanes ? lane + d : lane;
        float other = __shfl_sync(mask, v, from);
        if (from != lane) v = Op::combine(v, other);
    }
    return v;
}

// The result over the block, in thread 0. May be called again only after a barrier.
template <class Op>
__device__ float block_reduce(float v) {
    __shared__ float of_warp[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = (blockDim.x + 31) / 32;
    unsigned lanes = min(32u, blockDim.x - warp * 32);
    v = warp_reduce<Op>(v, lanes);
    if (lane == 0) of_warp[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < warps ? of_warp[lane] : Op::identity();
        v = warp_reduce<Op>(v, lanes);
        // If warp 0 is partial, it is the only warp and has one value; if it is full, its lanes read all values.
    }
    return v;
}

template <class Op>
__device__ void shuffle(const float* x, const float* y, float* partial, size_t n) {
    float v = block_reduce<Op>(load_two<Op>(x, y, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

extern "C" __global__ void shuffle_sum(const float* x, const float* y, float* partial, size_t n) { shuffle<Sum>(x, y, partial, n); }
extern "C" __global__ void shuffle_max(const float* x, const float* y, float* partial, size_t n) { shuffle<Max>(x, y, partial, n); }
extern "C" __global__ void shuffle_dot(const float* x, const float* y, float* partial, size_t n) { shuffle<Dot>(x, y, partial, n); }

// ---- 4 and 5: a thread takes elements that lie as far apart as the grid has threads, and combines them in a
// register. One block is 4 (the other SMs are idle); a grid is 5, whose second launch is 4 over the partial results.
template <class Op>
__device__ float grid_stride(const float* x, const float* y, size_t n) {
    float v = Op::identity();
    // [part grid-stride] Combine the thread's own elements in v: its first has the thread's number in the grid, and the
    // next lies as far on as the grid has threads. A thread may have no element at all.
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) v = Op::combine(v, element<Op>(x, y, i));
    // [end]
    return v;
}

template <class Op>
__device__ void strided(const float* x, const float* y, float* partial, size_t n) {
    float v = block_reduce<Op>(grid_stride<Op>(x, y, n));
    if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

extern "C" __global__ void strided_sum(const float* x, const float* y, float* partial, size_t n) { strided<Sum>(x, y, partial, n); }
extern "C" __global__ void strided_max(const float* x, const float* y, float* partial, size_t n) { strided<Max>(x, y, partial, n); }
extern "C" __global__ void strided_dot(const float* x, const float* y, float* partial, size_t n) { strided<Dot>(x, y, partial, n); }

// ---- 6: like 5, but without a second launch. Beforehand, *total is 0 for a sum and all ones for a maximum
// (a NaN, whose bits are below those of every float in the orders used here). The order in which blocks
// arrive is not fixed, so a sum may differ in its last bits from run to run.
extern "C" __global__ void atomic_finish_sum(const float* x, const float* y, float* total, size_t n) {
    float v = block_reduce<Sum>(grid_stride<Sum>(x, y, n));
    if (threadIdx.x == 0) atomicAdd(total, v);
}

// The bits of floats have the order of integers when positive, and the reverse order when negative. So an
// integer maximum serves for the first, an unsigned minimum for the second, and the mixed cases are right too.
extern "C" __global__ void atomic_finish_max(const float* x, const float* y, float* total, size_t n) {
    float v = block_reduce<Max>(grid_stride<Max>(x, y, n));
    if (threadIdx.x == 0) {
        int bits = __float_as_int(v);
        if (bits >= 0) atomicMax((int*)total, bits);
        else atomicMin((unsigned*)total, (unsigned)bits);
    }
}

extern "C" __global__ void atomic_finish_dot(const float* x, const float* y, float* total, size_t n) {
    float v = block_reduce<Dot>(grid_stride<Dot>(x, y, n));
    if (threadIdx.x == 0) atomicAdd(total, v);
}

// ---- 7: like 6, but the atomic is built from compare-and-swap: read, compute, and store only if no other
// thread has stored in between; otherwise repeat with the value that is there now.
__device__ void cas_add(double* total, double v) {
    // [part compare-and-swap] Add v to *total as if there were no atomicAdd for doubles: atomicCAS stores a new value
    // only if no other thread has stored one in between, and says what was there. It takes whole numbers of 64 bits.
    unsigned long long* word = (unsigned long long*)total;
    unsigned long long seen = *(volatile unsigned long long*)word, expected;
    do {
        expected = seen;
        seen = atomicCAS(word, expected, (unsigned long long)__double_as_longlong(v + __longlong_as_double((long long)expected)));
    } while (seen != expected);
    // [end]
}

// [not handed out]
__device__ void cas_max(float* total, float v) {
    int* word = (int*)total;
    int seen = *(volatile int*)word;
    while (!(__int_as_float(seen) >= v)) { // done as soon as the value there is not smaller; a NaN counts as smaller
        int expected = seen;
        seen = atomicCAS(word, expected, __float_as_int(v));
        if (seen == expected) break;
    }
}
// [end]

// The block's sum of doubles, in thread 0.
__device__ double block_sum(double v) {
    __shared__ double of_warp[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = (blockDim.x + 31) / 32;
    unsigned lanes = min(32u, blockDim.x - warp * 32);
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (int round = 0; round < 2; round++) {
        for (unsigned d = 16; d > 0; d /= 2) {
            unsigned from = lane + d < lanes ? lane + d : lane;
            double other = __shfl_sync(mask, v, from);
            if (from != lane) v += other;
        }
        if (round == 1) break;
        if (lane == 0) of_warp[warp] = v;
        __syncthreads();
        if (warp > 0) break;
        v = lane < warps ? of_warp[lane] : 0.0;
    }
    return v;
}

extern "C" __global__ void cas_loop_sum(const float* x, const float* y, double* total, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    double v = 0.0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) v += x[i];
    v = block_sum(v);
    if (threadIdx.x == 0) cas_add(total, v);
}

// [not handed out]
extern "C" __global__ void cas_loop_max(const float* x, const float* y, float* total, size_t n) {
    float v = block_reduce<Max>(grid_stride<Max>(x, y, n));
    if (threadIdx.x == 0) cas_max(total, v);
}
// [end]

extern "C" __global__ void cas_loop_dot(const float* x, const float* y, double* total, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    double v = 0.0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) v += (double)x[i] * (double)y[i];
    v = block_sum(v);
    if (threadIdx.x == 0) cas_add(total, v);
}

// ---- 8: like 5, but a block takes whole tiles: every thread issues all its 16-byte loads of a tile before
// it uses the first. The block that draws the last ticket combines the partial results.
template <class Op>
__device__ float combine_four(float v, float4 x, float4 y) {
    v = Op::combine(v, Op::one(x.x, y.x));
    v = Op::combine(v, Op::one(x.y, y.y));
    v = Op::combine(v, Op::one(x.z, y.z));
    return Op::combine(v, Op::one(x.w, y.w));
}

template <class Op>
__device__ void vectorized(const float* x, const float* y, float* partial, unsigned* tickets, float* result, size_t n) {
    constexpr int words = 8 / Op::arrays; // 128 bytes in flight per thread
    const float4* x4 = (const float4*)x;
    const float4* y4 = (const float4*)y;
    size_t tile = (size_t)words * blockDim.x; // in 16-byte words
    // [part vectorized] Let a block take whole tiles of `tile` words, and a thread issue all its loads of a tile before
    // it uses the first; the rest goes one by one. Then the block stores its result in partial, and the block that
    // draws the last ticket combines them all in *result. *tickets is 0 before, and must be 0 again afterwards.
    size_t tiles = n / 4 / tile;
    float v[words];
    for (int k = 0; k < words; k++) v[k] = Op::identity();
    for (size_t at = blockIdx.x; at < tiles; at += gridDim.x) {
        size_t first = at * tile + threadIdx.x;
        float4 a[words], b[words];
#pragma unroll
        for (int k = 0; k < words; k++) {
            a[k] = x4[first + k * blockDim.x];
            b[k] = Op::arrays == 2 ? y4[first + k * blockDim.x] : a[k];
        }
#pragma unroll
        for (int k = 0; k < words; k++) v[k] = combine_four<Op>(v[k], a[k], b[k]);
    }
    // The rest, less than a tile, is taken one element at a time.
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = tiles * tile * 4 + (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) v[0] = Op::combine(v[0], element<Op>(x, y, i));
#pragma unroll
    for (int k = 1; k < words; k++) v[0] = Op::combine(v[0], v[k]);

    __shared__ bool last;
    float of_block = block_reduce<Op>(v[0]);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = of_block;
        __threadfence(); // the partial result becomes visible before the ticket
        last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1; // wraps to 0 for the next launch
        __threadfence(); // the other blocks' partial results are read after the ticket
    }
    __syncthreads();
    if (last) {
        float w = Op::identity();
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) w = Op::combine(w, partial[i]);
        w = block_reduce<Op>(w);
        if (threadIdx.x == 0) *result = w;
    }
    // [end]
}

extern "C" __global__ void __launch_bounds__(1024) vectorized_sum(const float* __restrict__ x, const float* __restrict__ y, float* partial, unsigned* tickets, float* result, size_t n) { vectorized<Sum>(x, y, partial, tickets, result, n); }
extern "C" __global__ void __launch_bounds__(1024) vectorized_max(const float* __restrict__ x, const float* __restrict__ y, float* partial, unsigned* tickets, float* result, size_t n) { vectorized<Max>(x, y, partial, tickets, result, n); }
extern "C" __global__ void __launch_bounds__(1024) vectorized_dot(const float* __restrict__ x, const float* __restrict__ y, float* partial, unsigned* tickets, float* result, size_t n) { vectorized<Dot>(x, y, partial, tickets, result, n); }

// [not handed out]
// ---- 9: one block of n threads, where n is a power of two, so that halving always gives a whole number.
extern "C" __global__ void dot_pow2(const float* x, const float* y, float* result, size_t n) {
    __shared__ float s[1024];
    unsigned t = threadIdx.x;
    s[t] = x[t] * y[t];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) *result = s[0];
}

// ---- 10: like 9, but if the number of words is odd, the middle one waits for the next round.
extern "C" __global__ void dot_1024(const float* x, const float* y, float* result, size_t n) {
    __shared__ float s[1024];
    unsigned t = threadIdx.x;
    s[t] = t < n ? x[t] * y[t] : 0.0f;
    __syncthreads();
    for (unsigned live = blockDim.x; live > 1;) {
        unsigned half = (live + 1) / 2;
        if (t + half < live) s[t] += s[t + half];
        __syncthreads();
        live = half;
    }
    if (t == 0) *result = s[0];
}

// ---- 11: `size` is a parameter of the template, a power of two that is not less than the block. The array has a fixed
// size, the loop is unrolled, and no round has an odd number of values. What no thread has loaded is the identity of the
// operation: 0 for a sum, but minus infinity for a maximum.
template <class Op, unsigned size>
__device__ void padded(const float* x, const float* y, float* partial, size_t n) {
    __shared__ float s[size];
    unsigned t = threadIdx.x;
    s[t] = load_two<Op>(x, y, n);
    for (unsigned i = t + blockDim.x; i < size; i += blockDim.x) s[i] = Op::identity();
    __syncthreads();
#pragma unroll
    for (unsigned half = size / 2; half > 0; half /= 2) {
        // A block of fewer than `half` threads has nothing but padding in the upper half.
        if (t < half) s[t] = Op::combine(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = s[0];
}

extern "C" __global__ void padded_64_sum(const float* x, const float* y, float* partial, size_t n) { padded<Sum, 64>(x, y, partial, n); }
extern "C" __global__ void padded_64_max(const float* x, const float* y, float* partial, size_t n) { padded<Max, 64>(x, y, partial, n); }
extern "C" __global__ void padded_64_dot(const float* x, const float* y, float* partial, size_t n) { padded<Dot, 64>(x, y, partial, n); }
extern "C" __global__ void padded_256_sum(const float* x, const float* y, float* partial, size_t n) { padded<Sum, 256>(x, y, partial, n); }
extern "C" __global__ void padded_256_max(const float* x, const float* y, float* partial, size_t n) { padded<Max, 256>(x, y, partial, n); }
extern "C" __global__ void padded_256_dot(const float* x, const float* y, float* partial, size_t n) { padded<Dot, 256>(x, y, partial, n); }
extern "C" __global__ void padded_1024_sum(const float* x, const float* y, float* partial, size_t n) { padded<Sum, 1024>(x, y, partial, n); }
extern "C" __global__ void padded_1024_max(const float* x, const float* y, float* partial, size_t n) { padded<Max, 1024>(x, y, partial, n); }
extern "C" __global__ void padded_1024_dot(const float* x, const float* y, float* partial, size_t n) { padded<Dot, 1024>(x, y, partial, n); }

// ---- 12: *total begins as in 6. The block that changes *lock from 0 to 1 goes on, and the others try again. The fences
// order what a block does under the lock after the block before has left it, and before the next one takes it.
template <class Op>
__device__ void spin_lock(const float* x, const float* y, float* total, unsigned* lock, size_t n) {
    float v = block_reduce<Op>(grid_stride<Op>(x, y, n));
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0) {}
        __threadfence();
        *(volatile float*)total = Op::combine(*(volatile float*)total, v);
        __threadfence();
        atomicExch(lock, 0u);
    }
}

extern "C" __global__ void spin_lock_sum(const float* x, const float* y, float* total, unsigned* lock, size_t n) { spin_lock<Sum>(x, y, total, lock, n); }
extern "C" __global__ void spin_lock_max(const float* x, const float* y, float* total, unsigned* lock, size_t n) { spin_lock<Max>(x, y, total, lock, n); }
extern "C" __global__ void spin_lock_dot(const float* x, const float* y, float* total, unsigned* lock, size_t n) { spin_lock<Dot>(x, y, total, lock, n); }
// [end]
