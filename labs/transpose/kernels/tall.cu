// out = the transpose of in, as in transpose.cu, for matrices whose rows begin anywhere.
//
//  grouped_tall  like grouped_512, but for rows that do not begin at a sector (32 bytes) two things are done.
//                If rows of out do not, tiles have 128 rows and 32 columns, so that longer lines are written, and what
//                a tile writes of each line begins up to 7 floats earlier, so that it begins at a sector: whole sectors
//                are written, four floats at a time. Such tiles read 8 rows more. On an H200 this took 0.520 ms instead
//                of 0.541 at 15999 x 16000.
//                And its loads ask the L2 cache for the 256 bytes in which theirs lie, because the next tile to the
//                right wants the rest. In a bench on an H200 this took 0.498 ms instead of 0.512 at 15999 x 16000, and
//                0.506 instead of 0.525 at 16000 x 15999. If rows of out begin at a sector and those of in at a
//                multiple of 16 bytes, they do not ask: at 8192 x 8192 it took 0.1306 ms instead of 0.1293.
//  grouped_wide  like grouped_tall, but tiles have 64 columns where those have 32, so that longer lines are read. In a
//                bench on an H200 this took 0.538 ms instead of 0.635 at 16383 x 16383, where rows of neither matrix
//                begin at a sector; but 0.507 instead of 0.501 at 15999 x 16000, where those of in do.
//
// Loads that ask so need compute capability 8.0.
// target: compute_80

#include "groups.cuh"

constexpr unsigned WARPS = 16;

// Loads a float, or four, with a prefetch of the 256 bytes around them.
__device__ inline float load_l2_256b(const float* p) {
    float v;
    asm volatile("ld.global.L2::256B.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__device__ inline float4 load4_l2_256b(const float* p) {
    float4 v;
    asm volatile("ld.global.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p));
    return v;
}

// A tile of H rows and W columns from row `top` and column `left` on, and of ABOVE rows above them: row r of the tile
// is row top - ABOVE + r of in. If WHOLE, all of them are inside the matrix, and one row below them is too.
template <unsigned H, unsigned W, unsigned ABOVE, bool WHOLE>
struct Tile {
    float* words;
    unsigned m, n, top, left, warp, lane;

    __device__ bool inside(unsigned r, unsigned x) const {
        return WHOLE || (top + r + 1 > ABOVE && top + r < m + ABOVE && left + x < n);
    }

    // A warp reads from shared memory 8 x 4 rows of 4 columns, or 128 rows of one. For the second, rows that are 32
    // apart have their columns in different places: the lanes' words lie in 32 banks, or in 31, as 128 rows may begin in
    // one group of 32 and end in a fifth.
    __device__ float& at(unsigned r, unsigned x) const {
        return words[W * r + (x ^ ((ABOVE ? r + r / 32 : r) % 32))];
    }

    // As transpose_tile reads: four rows of 32 columns, or one of them, per warp. All loads are in flight before the first
    // is used.
    __device__ void load_global(const float* in) const {
        const float* from = in + left + ((long long)top - ABOVE) * n;
        auto is_row = [](unsigned r, unsigned step) { return (H + ABOVE) % step == 0 || r < H + ABOVE; };
        if (n % 4 == 0) {
            constexpr unsigned STEP = WARPS / (W / 32) * 4, LOADS = (H + ABOVE + STEP - 1) / STEP;
            unsigned first = warp / (W / 32) * 4 + lane / 8, x = warp % (W / 32) * 32 + lane % 8 * 4, r = first;
            const float* p = from + (size_t)r * n + x;
            float4 v[LOADS];
#pragma unroll
            for (unsigned k = 0; k < LOADS; k++, r += STEP, p += (size_t)STEP * n)
                if (is_row(r, STEP) && inside(r, x)) v[k] = ABOVE ? load4_l2_256b(p) : *(const float4*)p;
            r = first;
#pragma unroll
            for (unsigned k = 0; k < LOADS; k++, r += STEP) {
                if (!is_row(r, STEP) || !inside(r, x)) continue;
                at(r, x) = v[k].x, at(r, x + 1) = v[k].y, at(r, x + 2) = v[k].z, at(r, x + 3) = v[k].w;
            }
        } else {
            constexpr unsigned STEP = WARPS / (W / 32), LOADS = (H + ABOVE + STEP - 1) / STEP;
            unsigned first = warp / (W / 32), x = warp % (W / 32) * 32 + lane, r = first;
            const float* p = from + (size_t)r * n + x;
            float v[LOADS];
#pragma unroll
            for (unsigned k = 0; k < LOADS; k++, r += STEP, p += (size_t)STEP * n)
                if (is_row(r, STEP) && inside(r, x)) v[k] = load_l2_256b(p);
            r = first;
#pragma unroll
            for (unsigned k = 0; k < LOADS; k++, r += STEP)
                if (is_row(r, STEP) && inside(r, x)) at(r, x) = v[k];
        }
    }

    // Rows of out begin at a sector: a warp writes four lines of 32 floats.
    __device__ void store_global(float* out) const {
        static_assert(ABOVE == 0, "otherwise write_early");
        constexpr unsigned STEP = WARPS / (H / 32) * 4;
        unsigned x = warp / (H / 32) * 4 + lane / 8, y = warp % (H / 32) * 32 + lane % 8 * 4;
        float* p = out + (size_t)(left + x) * m + top + y;
#pragma unroll
        for (unsigned k = 0; k < H * W / 128 / WARPS; k++, x += STEP, p += (size_t)STEP * m)
            if (inside(y, x)) *(float4*)p = make_float4(at(y, x), at(y + 1, x), at(y + 2, x), at(y + 3, x));
    }

    // Rows of out begin anywhere. Of each of them a tile takes H floats, from the beginning of a sector on: up to 7
    // fewer at its end, and as many more before. The last row of tiles also takes what is then left. A warp writes a
    // line of 128 floats, four a lane.
    __device__ void store_global_aligned(float* out) const {
        static_assert(H == 128 && ABOVE == 8, "a warp takes a line, which begins up to 7 floats earlier");
#pragma unroll
        for (unsigned x = warp; x < W; x += WARPS) {
            if (!WHOLE && left + x >= n) break;
            unsigned early = (left + x) * m % 8;
            unsigned end = WHOLE || top + H < m ? H + 8 - early : m - top + 8; // in rows of the tile
            float* to = out + (size_t)(left + x) * m + top;
            for (unsigned r = 8 - early + 4 * lane; r < end; r += 128) {
                float* p = to + r - 8;
                if (WHOLE || (top + r >= 8 && r + 4 <= end)) {
                    *(float4*)p = make_float4(at(r, x), at(r + 1, x), at(r + 2, x), at(r + 3, x));
                } else {
                    for (unsigned i = 0; i < 4; i++)
                        if (top + r + i >= 8 && r + i < end) p[i] = at(r + i, x);
                }
            }
        }
    }
};

template <unsigned H, unsigned W, unsigned ABOVE, bool WHOLE>
__device__ inline void transpose(float* words, const float* in, float* out, unsigned m, unsigned n, unsigned top,
                                 unsigned left) {
    Tile<H, W, ABOVE, WHOLE> tile{words, m, n, top, left, threadIdx.x / 32, threadIdx.x % 32};
    tile.load_global(in);
    __syncthreads();
    if constexpr (ABOVE == 0)
        tile.store_global(out);
    else
        tile.store_global_aligned(out);
}

template <unsigned H, unsigned W, unsigned ABOVE>
__device__ inline void transpose(float* words, const float* __restrict__ in, float* __restrict__ out, unsigned m, unsigned n,
                                 unsigned group) {
    TileIndex tile = grouped<H, W>(m, n, group);
    unsigned top = H * tile.j, left = W * tile.i;
    if (top + 1 > ABOVE && top + H + (ABOVE > 0) <= m && left + W <= n)
        transpose<H, W, ABOVE, true>(words, in, out, m, n, top, left);
    else
        transpose<H, W, ABOVE, false>(words, in, out, m, n, top, left);
}

// Four blocks have all the warps that a multiprocessor of compute capability 9.0 holds. The lab launches a block for each
// tile: of 64 x 64 if m is a multiple of 8, else of 128 x 32.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    grouped_tall(const float* in, float* out, unsigned m, unsigned n, unsigned group) {
    __shared__ float words[(128 + 8) * 32];
    if (m % 8 == 0)
        transpose<64, 64, 0>(words, in, out, m, n, group);
    else
        transpose<128, 32, 8>(words, in, out, m, n, group);
}

// Two blocks have room for all that a thread has in flight.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 2)
    grouped_wide(const float* in, float* out, unsigned m, unsigned n, unsigned group) {
    __shared__ float words[(128 + 8) * 64];
    if (m % 8 == 0)
        transpose<64, 64, 0>(words, in, out, m, n, group);
    else
        transpose<128, 64, 8>(words, in, out, m, n, group);
}
