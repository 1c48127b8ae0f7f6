// out = the transpose of in, as in bulk.cu, wherever the rows of in begin.
//
//  bulk_columns  like bulk, but a warp reads 32 floats of a row, of four rows one after the other: rows of in may begin
//                anywhere, and a thread has four neighbours of a line, which it stores to shared memory together. Loads
//                ask for 256 bytes, as in grouped_tall (tall.cu). And a multiprocessor holds three blocks, not four, so
//                that the requests of fewer tiles are mixed. In a bench on an H100 this took 0.708 ms at 16000 x 15999,
//                and 0.715 with four blocks. There, grouped_tall took 0.722, and the driver's copy 0.684.
//                Where rows of in do not begin at a sector, tiles have 128 rows and 32 columns: 0.706 ms instead of
//                0.708. At 16384 x 16384, where they do, it would be 0.736 instead of 0.733.
//
// Where rows of out do not begin at a multiple of 16 bytes, threads store the lines. Then tiles are the tall ones, too,
// because their lines are longer.
// Blocks have 512 threads, and go down the columns of tiles. Bulk copies need compute capability 9.0.
// target: compute_90

constexpr unsigned WARPS = 16;

// Loads a float, with a prefetch of the 256 bytes around it.
__device__ inline float load_l2_256b(const float* p) {
    float v;
    asm volatile("ld.global.L2::256B.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}

// A tile of H rows and W columns of in. Its columns are lines of out.
template <unsigned H, unsigned W>
struct Tile {
    // A line begins at a multiple of 16 bytes, and the fours that 8 lanes write lie in 32 banks.
    static constexpr unsigned LINE = H + 4;
    // How often a warp reads four rows, and how many rows lie between.
    static constexpr unsigned FOURS = H / 4 * (W / 32) / WARPS, STEP = WARPS / (W / 32) * 4;
    float* lines;
    unsigned m, n, top, left, warp, lane;

    // All loads are in flight before the first is used. If WHOLE, all of the tile is inside the matrix.
    template <bool WHOLE>
    __device__ void load_global(const float* in) const {
        unsigned y = warp / (W / 32) * 4, x = warp % (W / 32) * 32 + lane;
        const float* from = in + (size_t)(top + y) * n + left + x;
        float v[FOURS][4];
#pragma unroll
        for (unsigned k = 0; k < FOURS; k++)
#pragma unroll
            for (unsigned i = 0; i < 4; i++) {
                bool inside = WHOLE || (top + y + k * STEP + i < m && left + x < n);
                v[k][i] = inside ? load_l2_256b(from + (size_t)(k * STEP + i) * n) : 0;
            }
#pragma unroll
        for (unsigned k = 0; k < FOURS; k++)
            *(float4*)&lines[LINE * x + y + k * STEP] = make_float4(v[k][0], v[k][1], v[k][2], v[k][3]);
    }

    __device__ void store_global(float* out) const {
        unsigned rows = min(H, m - top), columns = min(W, n - left);
        float* to = out + (size_t)left * m + top;
        if (m % 4 == 0) {
            // What the threads wrote must be seen by the copies.
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            if (threadIdx.x >= columns) return;
            unsigned from = (unsigned)__cvta_generic_to_shared(lines + LINE * threadIdx.x);
            to += (size_t)threadIdx.x * m;
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
                         "r"(rows * 4)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            // A block may end only when its shared memory has been read.
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            return;
        }
        __syncthreads();
        for (unsigned x = warp; x < columns; x += WARPS)
            for (unsigned y = lane; y < rows; y += 32) to[(size_t)x * m + y] = lines[LINE * x + y];
    }
};

template <unsigned H, unsigned W>
__device__ inline void transpose(float* lines, const float* __restrict__ in, float* __restrict__ out, unsigned m,
                                 unsigned n) {
    unsigned down = (m + H - 1) / H;
    Tile<H, W> tile{lines, m, n, blockIdx.x % down * H, blockIdx.x / down * W, threadIdx.x / 32, threadIdx.x % 32};
    if (tile.top + H <= m && tile.left + W <= n)
        tile.template load_global<true>(in);
    else
        tile.template load_global<false>(in);
    tile.store_global(out);
}

// The lab launches a block for each tile: of 64 x 64 if rows of out begin at multiples of 16 bytes, and those of in
// at sectors; else of 128 x 32.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 3)
    bulk_columns(const float* __restrict__ in, float* __restrict__ out, unsigned m, unsigned n) {
    __shared__ __align__(16) float lines[Tile<64, 64>::LINE * 64];
    if (m % 4 == 0 && n % 8 == 0)
        transpose<64, 64>(lines, in, out, m, n);
    else
        transpose<128, 32>(lines, in, out, m, n);
}
