// out = the transpose of in, as in transpose.cu, with stores that no thread makes.
//
//  bulk       like grouped_512 with a group of all rows of tiles, but the tile lies in shared memory as it is to be written,
//             and each of its lines is stored by one bulk copy, for which one thread asks. In a bench on an H200 this took
//             0.518 ms instead of 0.524 at 16384 x 16384.
//  thin_bulk  like bulk, but 512 rows and 16 columns a block, as in thin: 0.522 ms instead of 0.538 at 2^24 x 16.
//
// A bulk copy takes what begins at a multiple of 16 bytes. Where rows of out do not, threads store the lines.
// Blocks have 512 threads, and go down the columns of tiles. Bulk copies need compute capability 9.0.
// target: compute_90

constexpr unsigned WARPS = 16;

// A tile of H rows and W columns of in. Its columns are lines here.
template <unsigned H, unsigned W>
struct Tile {
    // A warp reads ROWS rows of ACROSS times four floats.
    static constexpr unsigned ACROSS = W / 4 < 8 ? W / 4 : 8, ROWS = 32 / ACROSS, STRIPS = W / 4 / ACROSS;
    static constexpr unsigned STEP = WARPS / STRIPS * ROWS, LOADS = H / STEP;
    float* words;
    unsigned m, n, top, left;

    // Where line x begins: at a multiple of 16 bytes, and four lines further ROWS banks further, so that what the lanes of
    // a warp write lies in 32 banks.
    static __device__ unsigned line(unsigned x) { return H * x + ROWS * (x / 4); }
    static constexpr unsigned WORDS = H * W + ROWS * (W / 4);

    // All loads are in flight before the first is used.
    __device__ void load_global(const float* in) const {
        unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        unsigned x = (warp % STRIPS * ACROSS + lane % ACROSS) * 4, y = warp / STRIPS * ROWS + lane / ACROSS;
        const float* from = in + (size_t)(top + y) * n + left + x;
        float4 v[LOADS] = {};
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            const float* p = from + (size_t)k * STEP * n;
            if (top + y + k * STEP >= m || left + x >= n) continue;
            if (n % 4 == 0) {
                v[k] = *(const float4*)p;
                continue;
            }
            v[k].x = p[0];
            if (left + x + 1 < n) v[k].y = p[1];
            if (left + x + 2 < n) v[k].z = p[2];
            if (left + x + 3 < n) v[k].w = p[3];
        }
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) {
            float* to = words + line(x) + y + k * STEP;
            to[0] = v[k].x, to[H] = v[k].y, to[2 * H] = v[k].z, to[3 * H] = v[k].w;
        }
    }

    __device__ void store_global(float* out) const {
        unsigned lines = min(W, n - left), length = min(H, m - top);
        if (m % 4 == 0) {
            // What the threads wrote must be seen by the copies.
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            if (threadIdx.x >= lines) return;
            const float* from = words + line(threadIdx.x);
            float* to = out + (size_t)(left + threadIdx.x) * m + top;
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                         "r"((unsigned)__cvta_generic_to_shared(from)), "r"(length * 4)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            // A block may end only when its shared memory has been read.
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            return;
        }
        __syncthreads();
        for (unsigned x = threadIdx.x / 32; x < lines; x += WARPS)
            for (unsigned y = threadIdx.x % 32; y < length; y += 32)
                out[(size_t)(left + x) * m + top + y] = words[line(x) + y];
    }
};

template <unsigned H, unsigned W>
__device__ inline void transpose(const float* __restrict__ in, float* __restrict__ out, unsigned m, unsigned n) {
    __shared__ __align__(16) float words[Tile<H, W>::WORDS];
    unsigned down = (m + H - 1) / H;
    Tile<H, W> tile{words, m, n, blockIdx.x % down * H, blockIdx.x / down * W};
    tile.load_global(in);
    tile.store_global(out);
}

// Four blocks have all the warps that a multiprocessor holds.
extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    bulk(const float* __restrict__ in, float* __restrict__ out, unsigned m, unsigned n) {
    transpose<64, 64>(in, out, m, n);
}
extern "C" __global__ void __launch_bounds__(32 * WARPS, 4)
    thin_bulk(const float* __restrict__ in, float* __restrict__ out, unsigned m, unsigned n) {
    transpose<512, 16>(in, out, m, n);
}
