// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right interleaved: thread's number times the stride
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned mine = t * 2 * stride;
        if (mine + stride < blockDim.x) s[mine] = Op::combine(s[mine + stride], s[mine]);
        __syncthreads();
    }
    if (t == blockDim.x - 1) partial[blockIdx.x] = s[0];

// == right interleaved: cooperative groups, and a mask
#include <cooperative_groups.h>
// [part interleaved]
    auto block = cooperative_groups::this_thread_block();
    unsigned size = block.size();
    for (unsigned stride = 1; stride < size; stride <<= 1) {
        if ((t & (2 * stride - 1)) == 0) {
            if (t + stride < size) s[t] = Op::combine(s[t], s[t + stride]);
        }
        block.sync();
    }
    if (block.thread_rank() == 0) partial[blockIdx.x] = s[0];
// [end]

// == right interleaved: barrier first
    unsigned stride = 1;
    while (stride < blockDim.x) {
        __syncthreads();
        float other = t % (2 * stride) == 0 && t + stride < blockDim.x ? s[t + stride] : Op::identity();
        if (t % (2 * stride) == 0) s[t] = Op::combine(s[t], other);
        stride += stride;
    }
    if (!t) partial[blockIdx.x] = s[t];

// == right sequential: halves of the next power of two
    unsigned half = 1;
    while (2 * half < blockDim.x) half *= 2;
    for (; half > 0; half >>= 1) {
        if (t < half && t + half < blockDim.x) s[t] = Op::combine(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = s[0];

// == right sequential: last warp by shuffles
    if (t < 32) {
        float v = Op::identity();
        for (unsigned k = t; k < blockDim.x; k += 32) v = Op::combine(v, s[k]);
        unsigned lanes = min(32u, blockDim.x), mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
        for (unsigned from = 16; from > 0; from /= 2) {
            float other = __shfl_down_sync(mask, v, from);
            if (t + from < lanes) v = Op::combine(v, other);
        }
        if (t == 0) partial[blockIdx.x] = v;
    }

// == right sequential: last warp unrolled, with its barriers
    unsigned live = blockDim.x;
    while (live > 64) {
        unsigned half = (live + 1) / 2;
        if (t < live / 2) s[t] = Op::combine(s[t], s[t + half]);
        __syncthreads();
        live = half;
    }
    if (t < 32) {
#pragma unroll
        for (unsigned d = 32; d > 0; d /= 2) {
            float v = s[t];
            if (t + d < live) v = Op::combine(v, s[t + d]);
            __syncwarp();
            s[t] = v;
            __syncwarp();
            live = min(live, d);
        }
    }
    if (t == 0) partial[blockIdx.x] = s[0];

// == right grid-stride: while loop and __ldg
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        float a = __ldg(x + i), b = Op::arrays == 2 ? __ldg(y + i) : 0.0f;
        v = Op::combine(v, Op::one(a, b));
        i += blockDim.x * gridDim.x;
    }

// == right grid-stride: backwards
    size_t threads = (size_t)gridDim.x * blockDim.x, me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (me < n) {
        for (size_t left = (n - 1 - me) / threads + 1; left > 0; left--) {
            v = Op::combine(element<Op>(x, y, me + (left - 1) * threads), v);
        }
    }

// == right grid-stride: grid of cooperative groups, unrolled
#include <cooperative_groups.h>
// [part grid-stride]
    auto grid = cooperative_groups::this_grid();
#pragma unroll 4
    for (size_t i = grid.thread_rank(); i < n; i += grid.size()) v = Op::combine(v, element<Op>(x, y, i));
// [end]

// == right compare-and-swap: as CUDA's guide has it
    unsigned long long int* address_as_ull = (unsigned long long int*)total;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
    } while (assumed != old);

// == right compare-and-swap: PTX, and nothing is loaded first
    // What the sum is now is guessed, and the answer corrects a wrong guess.
    unsigned long long guess = 0, was;
    while (true) {
        unsigned long long next = (unsigned long long)__double_as_longlong(__longlong_as_double((long long)guess) + v);
        asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(was) : "l"(total), "l"(guess), "l"(next) : "memory");
        if (was == guess) break;
        guess = was;
    }

// == right compare-and-swap: for loop over attempts
    auto word = reinterpret_cast<unsigned long long*>(total);
    for (unsigned long long seen = atomicAdd(word, 0ull);;) {
        double wanted = __longlong_as_double((long long)seen) + v;
        unsigned long long was = atomicCAS(word, seen, (unsigned long long)__double_as_longlong(wanted));
        if (was == seen) return;
        seen = was;
    }

// == right vectorized: words one by one, and thread 0 of the last block
    __shared__ bool last;
    float v = Op::identity();
    size_t threads = (size_t)gridDim.x * blockDim.x, me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t at = me; at < n / 4; at += threads) {
        float4 a, b = make_float4(0, 0, 0, 0);
        asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(a.x), "=f"(a.y), "=f"(a.z), "=f"(a.w) : "l"(x4 + at));
        if (Op::arrays == 2) b = y4[at];
        v = combine_four<Op>(v, a, b);
    }
    for (size_t i = n / 4 * 4 + me; i < n; i += threads) v = Op::combine(v, element<Op>(x, y, i));
    v = block_reduce<Op>(v);
    if (threadIdx.x == 0) {
        atomicExch(&partial[blockIdx.x], v);
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        v = Op::identity();
        for (unsigned k = gridDim.x; k > 0; k--) v = Op::combine(v, ((volatile float*)partial)[k - 1]);
        *result = v;
        *tickets = 0;
    }

// == right vectorized: ticket by the guide's threadFenceReduction
    float v = Op::identity();
    size_t stride = (size_t)gridDim.x * blockDim.x, i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t k = i; k < n / 4; k += stride) v = combine_four<Op>(v, x4[k], Op::arrays == 2 ? y4[k] : x4[k]);
    if (i < n % 4) v = Op::combine(v, element<Op>(x, y, n / 4 * 4 + i));
    v = block_reduce<Op>(v);
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = v;
        __threadfence();
        is_last = atomicInc(tickets, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        __threadfence();
        float w = Op::identity();
        for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x) w = Op::combine(w, ((volatile float*)partial)[k]);
        w = block_reduce<Op>(w);
        if (threadIdx.x == 0) {
            *result = w;
            *tickets = 0;
        }
    }

// == wrong interleaved: right for powers of two alone
- && t + stride < blockDim.x

// == wrong interleaved: no barrier in a round
- __syncthreads();

// == wrong interleaved: barrier inside of the branch
- s[t] = Op::combine(s[t], s[t + stride]);
- __syncthreads();
+ { s[t] = Op::combine(s[t], s[t + stride]); __syncthreads(); }

// == wrong interleaved: one round too few
- stride < blockDim.x; stride *= 2
+ 2 * stride < blockDim.x; stride *= 2

// == wrong interleaved: all threads add in all rounds
- t % (2 * stride) == 0 &&

// == wrong interleaved: partners of the round before
- t % (2 * stride)
+ t % stride

// == wrong interleaved: sum for every operation
- Op::combine(s[t], s[t + stride])
+ s[t] + s[t + stride]

// == wrong interleaved: one result for all blocks
- partial[blockIdx.x]
+ partial[0]

// == wrong interleaved: each thread stores
- if (t == 0) partial[blockIdx.x] = s[0];
+ partial[blockIdx.x] = s[t];

// == wrong sequential: half is rounded down
- half = (live + 1) / 2
+ half = live / 2

// == wrong sequential: middle word is added twice
- t + half < live
+ t < half

// == wrong sequential: no barrier in a round
- __syncthreads();

// == wrong sequential: last warp without barriers, as before Volta
    for (unsigned live = blockDim.x; live > 1;) {
        unsigned half = (live + 1) / 2;
        if (t + half < live) ((volatile float*)s)[t] = Op::combine(((volatile float*)s)[t], ((volatile float*)s)[t + half]);
        if (half > 32) __syncthreads();
        live = half;
    }
    if (t == 0) partial[blockIdx.x] = s[0];

// == wrong sequential: threads without work leave
- if (t + half < live) s[t] = Op::combine(s[t], s[t + half]);
+ if (t + half >= live) break;
+ s[t] = Op::combine(s[t], s[t + half]);

// == wrong sequential: neighbours first, as in 1
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < blockDim.x) s[t] = Op::combine(s[t], s[t + stride]);
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = s[0];

// == wrong sequential: thread 0 adds up the block
    if (t == 0) {
        float v = Op::identity();
        for (unsigned k = 0; k + 1 < blockDim.x; k++) v = Op::combine(v, s[k]);
        partial[blockIdx.x] = v;
    }

// == wrong grid-stride: goes on by the block alone
- stride = (size_t)gridDim.x * blockDim.x
+ stride = blockDim.x

// == wrong grid-stride: one element a thread
- for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
+ size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
+ if (i < n)

// == wrong grid-stride: one element too many
- i < n;
+ i <= n;

// == wrong grid-stride: last element alone
- v = Op::combine(v, element<Op>(x, y, i))
+ v = element<Op>(x, y, i)

// == wrong grid-stride: sum for every operation
- v = Op::combine(v, element<Op>(x, y, i))
+ v += element<Op>(x, y, i)

// == wrong grid-stride: second array is forgotten
- element<Op>(x, y, i)
+ x[i]

// == wrong grid-stride: sum is kept as an int
- for (size_t
+ int sum = 0;
+ for (size_t
- v = Op::combine(v, element<Op>(x, y, i));
+ sum = Op::combine(sum, element<Op>(x, y, i));
+ v = sum;

// == wrong grid-stride: maximum begins with 0
- size_t stride
+ v = 0.0f;
+ size_t stride

// == wrong compare-and-swap: atomicAdd
    atomicAdd(total, v);

// == wrong compare-and-swap: plain addition
    *total += v;

// == missed compare-and-swap: one attempt
- } while (seen != expected);
+ } while (false);

// == wrong compare-and-swap: number in place of its bits
- (unsigned long long)__double_as_longlong(v + __longlong_as_double((long long)expected))
+ (unsigned long long)(v + (double)expected)

// == wrong compare-and-swap: expects what it wants to store
- expected = seen;
+ expected = seen + 1;

// == wrong compare-and-swap: stores its own value alone
- v + __longlong_as_double((long long)expected)
+ v

// == wrong vectorized: rest of the elements is forgotten
- for (size_t i = tiles * tile * 4 + (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) v[0] = Op::combine(v[0], element<Op>(x, y, i));

// == wrong vectorized: rest begins with the first element
- size_t i = tiles * tile * 4 + (size_t)
+ size_t i = (size_t)

// == missed vectorized: no fence before the ticket
- partial[blockIdx.x] = of_block;
- __threadfence(); // the partial result becomes visible before the ticket
+ partial[blockIdx.x] = of_block;

// == wrong vectorized: ticket is not wound back
- atomicInc(tickets, gridDim.x - 1)
+ atomicAdd(tickets, 1)

// == wrong vectorized: one ticket too many
- == gridDim.x - 1;
+ == gridDim.x;

// == wrong vectorized: no barrier before the block reads who is last
- __syncthreads();

// == wrong vectorized: every block combines
- if (last) {
+ {

// == wrong vectorized: last block combines the first results alone
- i < gridDim.x; i += blockDim.x
+ i + 1 < gridDim.x; i += blockDim.x

// == wrong vectorized: one vector of a thread alone
- for (int k = 1; k < words; k++) v[0] = Op::combine(v[0], v[k]);
+ ;
