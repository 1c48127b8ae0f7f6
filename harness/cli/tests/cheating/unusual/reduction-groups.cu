// Cooperative groups, PTX, and other orders.
#include <cooperative_groups.h>
// [part interleaved]
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned mine = t * 2 * stride;
        if (mine + stride < blockDim.x) s[mine] = Op::combine(s[mine + stride], s[mine]);
        block.sync();
    }
    if (t == blockDim.x - 1) partial[blockIdx.x] = s[0];
// [end]
// [part sequential]
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
// [end]
// [part grid-stride]
    size_t threads = (size_t)gridDim.x * blockDim.x, me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (me < n) {
        for (size_t left = (n - 1 - me) / threads + 1; left > 0; left--) {
            v = Op::combine(element<Op>(x, y, me + (left - 1) * threads), v);
        }
    }
// [end]
// [part compare-and-swap]
    // Nothing is loaded first: what the sum is now is guessed, and a wrong guess is told by the answer.
    unsigned long long guess = 0, was;
    while (true) {
        unsigned long long next = (unsigned long long)__double_as_longlong(__longlong_as_double((long long)guess) + v);
        asm volatile("atom.global.cas.b64 %0, [%1], %2, %3;" : "=l"(was) : "l"(total), "l"(guess), "l"(next) : "memory");
        if (was == guess) break;
        guess = was;
    }
// [end]
// [part vectorized]
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
// [end]
