// out = the transpose of in, as in transpose.cu, for matrices that are long and thin.
//
//  thin       like vectorized, but a block takes 256 rows and 16 columns: where there are no more, it reads one stretch
//             of memory, and no lane lies outside. Stores are streaming: nothing is read again. Loads are not, though
//             nothing is loaded twice either: in a bench on an H200 streaming loads took 0.551 ms instead of 0.534.
//  thin_back  like thin, but 16 rows and 256 columns: it writes one stretch.
//
// Blocks have 256 threads, which take four times four floats each.

constexpr unsigned LONG = 256, THREADS = 256, FOURS = LONG * 16 / 4 / THREADS;

// Sixteen lines along the long side. They lie 4 words further apart than they are long, so that four lanes that write
// four lines meet in fewer banks; and what a lane reads or writes of one line is aligned to 16 bytes.
__shared__ float lines[16][LONG + 4];

// Where the thread's k-th four floats are, if each line has PER_LINE fours.
struct LinePlace {
    unsigned line, first;
};
template <unsigned PER_LINE>
__device__ inline LinePlace place(unsigned k) {
    unsigned i = k * THREADS + threadIdx.x;
    return {i / PER_LINE, i % PER_LINE * 4};
}

// Loads from `count` lines of `length` floats, which are `stride` floats apart: four at a time if all are aligned to 16
// bytes. Nothing outside of them is read, and v keeps what it had. All loads are in flight before the first is used.
template <unsigned PER_LINE>
__device__ inline void load(float4 (&v)[FOURS], const float* from, unsigned count, unsigned length, unsigned stride) {
    if (stride % 4 == 0) {
#pragma unroll
        for (unsigned k = 0; k < FOURS; k++) {
            LinePlace p = place<PER_LINE>(k);
            if (p.line < count && p.first < length)
                v[k] = *(const float4*)(from + (size_t)p.line * stride + p.first);
        }
        return;
    }
#pragma unroll
    for (unsigned k = 0; k < FOURS; k++) {
        LinePlace p = place<PER_LINE>(k);
        const float* four = from + (size_t)p.line * stride + p.first;
        if (p.line >= count) continue;
        if (p.first < length) v[k].x = *four;
        if (p.first + 1 < length) v[k].y = four[1];
        if (p.first + 2 < length) v[k].z = four[2];
        if (p.first + 3 < length) v[k].w = four[3];
    }
}

// Stores to such lines; `four(p)` is what belongs to a place.
template <unsigned PER_LINE, class Four>
__device__ inline void store(float* to, unsigned count, unsigned length, unsigned stride, Four four) {
#pragma unroll
    for (unsigned k = 0; k < FOURS; k++) {
        LinePlace p = place<PER_LINE>(k);
        float* here = to + (size_t)p.line * stride + p.first;
        if (p.line >= count || p.first >= length) continue;
        float4 v = four(p);
        if (stride % 4 == 0) {
            __stcs((float4*)here, v);
            continue;
        }
        __stcs(here, v.x);
        if (p.first + 1 < length) __stcs(here + 1, v.y);
        if (p.first + 2 < length) __stcs(here + 2, v.z);
        if (p.first + 3 < length) __stcs(here + 3, v.w);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) thin(const float* __restrict__ in, float* __restrict__ out,
                                                           unsigned m, unsigned n) {
    unsigned across = (n + 15) / 16, top = blockIdx.x / across * LONG, left = blockIdx.x % across * 16;
    float4 v[FOURS] = {};
    load<4>(v, in + (size_t)top * n + left, m - top, n - left, n);
#pragma unroll
    for (unsigned k = 0; k < FOURS; k++) {
        auto [y, x] = place<4>(k);
        lines[x][y] = v[k].x, lines[x + 1][y] = v[k].y, lines[x + 2][y] = v[k].z, lines[x + 3][y] = v[k].w;
    }
    __syncthreads();
    store<LONG / 4>(out + (size_t)left * m + top, n - left, m - top, m,
                    [](LinePlace p) { return *(const float4*)&lines[p.line][p.first]; });
}

extern "C" __global__ void __launch_bounds__(THREADS) thin_back(const float* __restrict__ in, float* __restrict__ out,
                                                                unsigned m, unsigned n) {
    unsigned across = (n + LONG - 1) / LONG, top = blockIdx.x / across * 16, left = blockIdx.x % across * LONG;
    float4 v[FOURS] = {};
    load<LONG / 4>(v, in + (size_t)top * n + left, m - top, n - left, n);
#pragma unroll
    for (unsigned k = 0; k < FOURS; k++) {
        auto [y, x] = place<LONG / 4>(k);
        *(float4*)&lines[y][x] = v[k];
    }
    __syncthreads();
    store<4>(out + (size_t)left * m + top, n - left, m - top, m, [](LinePlace p) {
        auto [x, y] = p;
        return make_float4(lines[y][x], lines[y + 1][x], lines[y + 2][x], lines[y + 3][x]);
    });
}
