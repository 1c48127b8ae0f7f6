// Scan of n floats or 32-bit unsigned integers in one pass, with copies that pass by the registers
// (cp.async): compute capability 8.0 and later.
// target: compute_80
//
//   single-pass-async  like single-pass, but as many blocks as fit stay and take tile after tile, and a
//                      block's next tile comes into shared memory while the current one looks back
//
// Arguments as for single-pass, 32 elements a thread. Any grid and any block are right. Dynamic shared
// memory: 128 bytes a thread.
#include "scan.cuh"

constexpr int vectors = 8;

extern __shared__ uint4 slots[]; // slots[k * blockDim.x + t]: vector k of thread t, which alone uses it

__device__ void copy16(uint4* to, const void* from) {
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(from) : "memory");
}

// Starts the copy of a tile into this thread's slots; the last, partial tile comes by registers, with
// zeros where n is passed.
template <class T>
__device__ void fetch(const T* x, unsigned tile, size_t n, Place p) {
    uint4* to = slots + threadIdx.x;
    size_t first = (size_t)tile * blockDim.x * 4 * vectors;
    const T* from = x + first + at<vectors>(p, 0);
    if (first + blockDim.x * 4 * vectors <= n) {
#pragma unroll
        for (int k = 0; k < vectors; k++) copy16(to + k * blockDim.x, from + k * p.lanes * 4);
    } else {
        unsigned left = (unsigned)(n - first);
#pragma unroll 1
        for (int k = 0; k < vectors; k++) {
            T* slot = (T*)(to + k * blockDim.x);
            unsigned i = at<vectors>(p, k);
#pragma unroll 1
            for (int j = 0; j < 4; j++) slot[j] = i + j < left ? x[first + i + j] : T(0);
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <class T>
__device__ void take(Four<T> (&v)[vectors]) {
    asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
    for (int k = 0; k < vectors; k++) v[k] = *(const Four<T>*)&slots[k * blockDim.x + threadIdx.x];
}

template <class T>
__device__ void single_pass_async(const T* x, T* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) {
    __shared__ T of_warp[2][32]; // by turns: the next tile's totals may come while this tile's are read
    __shared__ T of_earlier;
    __shared__ unsigned first_drawn, drawn;
    Place p = place();
    unsigned items = blockDim.x * 4 * vectors;
    unsigned tiles = (unsigned)((n + items - 1) / items);
    // A block draws its tickets in order and works them off in order, so the earliest unfinished tile
    // is always being worked on, and waiting ends. One ticket is drawn ahead: its answer is not waited for.
    unsigned ahead = 0;
    if (threadIdx.x == 0) {
        first_drawn = atomicAdd(ticket, 1u);
        ahead = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    unsigned tile = first_drawn;
    if (tile < tiles) fetch(x, tile, n, p);
    for (unsigned turn = 0; tile < tiles; turn ^= 1) {
        Four<T> v[vectors];
        T before[vectors];
        take(v);
        T total = warp_total(v, p);
        if (p.lane == p.lanes - 1) of_warp[turn][p.warp] = total;
        if (threadIdx.x == 0) drawn = ahead;
        __syncthreads();
        unsigned next = drawn;
        if (next < tiles) fetch(x, next, n, p);
        if (threadIdx.x == 0) ahead = atomicAdd(ticket, 1u);
        if (p.warp == 0) {
            total = scan_totals(of_warp[turn], p);
            if (p.lane == 0) publish(&states[tile], tile > 0 ? own : prefix, bits(total));
        }
        scan_warp(v, p, before);
        if (p.warp == 0) {
            T earlier = tile > 0 ? look_back<T>(states, tile, p) : T(0);
            if (p.lane == 0) {
                if (tile > 0) publish(&states[tile], prefix, bits(earlier + total));
                of_earlier = earlier;
            }
        }
        __syncthreads();
        finish(v, before, of_earlier + of_warp[turn][p.warp], inclusive);
        store(out, (size_t)tile * items, n, p, v);
        tile = next;
    }
}

extern "C" __global__ void __launch_bounds__(1024) single_pass_async_f32(const float* x, float* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass_async(x, out, states, ticket, n, inclusive); }
extern "C" __global__ void __launch_bounds__(1024) single_pass_async_u32(const unsigned* x, unsigned* out, word* states, unsigned* ticket, size_t n, unsigned inclusive) { single_pass_async(x, out, states, ticket, n, inclusive); }
