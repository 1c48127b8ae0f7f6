// Many steps of Jacobi's method in one launch, on a plane that the registers of a cluster hold: see jacobi.cu.
//
//  cluster  like several (jacobi.cu), but all steps in one launch, and the points stay in registers. A block has four
//           warps, and a warp ROWS rows, four columns a lane: the two warps in the middle have the block's own rows,
//           and the other two recompute what the neighbours above and below compute. One row less of theirs is right
//           after each step, so that a block takes ROWS steps before it needs rows from other blocks. Those go straight
//           into the shared memory of the block that needs them (distributed shared memory), and the data themselves
//           arrive at a barrier there: no block waits for any but its two neighbours. Warps of a block give each other
//           their outermost rows after each step, in shared memory; neighbours to the left and right come by shuffles.
//
// It needs a cluster of 16 blocks, which the host must allow, and st.async: compute capability 9.0. The plane has at
// most 128 x 128 points, and four of them never add up to infinity. Grid: BLOCKS blocks of 32 x WARPS threads; no
// dynamic shared memory. It adds in the order of all other kernels: they agree to the last bit.
// target: compute_90a

constexpr int BLOCKS = 16, WARPS = 4, OWN = 128 / BLOCKS, ROWS = OWN / 2;
typedef unsigned long long word;

// A block's shared memory. It is double-buffered: rows can arrive in one half while those of the previous round
// are read from the other.
struct Exchange {
    float4 edges[2][WARPS][2][32]; // [half][warp]: its first row, and its last
    float4 inbox[2][2][ROWS][32];  // [half][from above, from below]: what the neighbours send
    word arrived[2][2];
};

__device__ unsigned shared_address(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }

// Maps `here`, an address in this block's shared memory, to the shared memory of block `rank` of the cluster.
__device__ unsigned map_shared_rank(unsigned here, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    return there;
}

__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Arms the barrier: it completes a phase when ROWS rows have arrived.
__device__ void mbarrier_arrive_expect_tx(word* barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"((unsigned)sizeof(Exchange::inbox[0][0]))
                 : "memory");
}

__device__ void mbarrier_wait(word* barrier, unsigned parity) {
    unsigned done;
    do {
        asm volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    } while (!done);
}

// A neighbour: where its inbox has room for this block's rows, and the barrier at which they arrive.
struct Neighbour {
    bool exists;
    unsigned rows, arrived;
};

// Block `rank` of the cluster receives rows from this one in place `side` of its inbox.
__device__ Neighbour neighbour(Exchange& mine, int rank, unsigned side) {
    if (rank < 0 || rank >= BLOCKS) return Neighbour{false, 0, 0};
    return Neighbour{true, map_shared_rank(shared_address(&mine.inbox[0][side][0][threadIdx.x % 32]), rank),
                     map_shared_rank(shared_address(&mine.arrived[0][side]), rank)};
}

// A warp's rows: its own are 1 to ROWS, and those of its neighbours lie around them.
typedef float4 Rows[ROWS + 2];

// Sends a lane's part of a warp's own row `i`, counted from 0; the neighbour's barrier counts the bytes.
__device__ void store_async(const Neighbour& to, unsigned half, int i, float4 row) {
    unsigned at = to.rows + half * sizeof(Exchange::inbox[0]) + i * 32 * sizeof(float4);
    unsigned arrived = to.arrived + half * sizeof(Exchange::arrived[0]);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(at),
                 "f"(row.x), "f"(row.y), "f"(row.z), "f"(row.w), "r"(arrived)
                 : "memory");
}

// The factor of a sum of neighbours, and the term that is added: 0.25 and -0 in a point that moves, and 0 and its
// value in one that is fixed. So one instruction computes the mean or keeps the point, without a selection.
struct Weights {
    float4 factor, fixed;
};

__device__ float4 mean(float4 above, float4 row, float4 below, const Weights& w) {
    float left = __shfl_up_sync(0xffffffff, row.w, 1), right = __shfl_down_sync(0xffffffff, row.x, 1);
    return make_float4(fmaf(left + row.y + above.x + below.x, w.factor.x, w.fixed.x),
                       fmaf(row.x + row.z + above.y + below.y, w.factor.y, w.fixed.y),
                       fmaf(row.y + row.w + above.z + below.z, w.factor.z, w.fixed.z),
                       fmaf(row.z + right + above.w + below.w, w.factor.w, w.fixed.w));
}

// One step, in which made(i, row) is called as soon as own row i is made. The rows that other warps wait for are first.
template <class Made>
__device__ void step(Rows& row, const Weights (&weights)[ROWS], float4 (*edges)[2][32], unsigned w, unsigned lane,
                     Made made) {
    float4 first = mean(row[0], row[1], row[2], weights[0]);
    float4 last = mean(row[ROWS - 1], row[ROWS], row[ROWS + 1], weights[ROWS - 1]);
    if (w > 0) edges[w][0][lane] = first;
    if (w + 1 < WARPS) edges[w][1][lane] = last;
    made(0, first), made(ROWS - 1, last);
    float4 above = row[1]; // as it was
#pragma unroll
    for (int i = 2; i < ROWS; i++) {
        float4 was = row[i];
        row[i] = mean(above, was, row[i + 1], weights[i - 1]);
        made(i - 1, row[i]);
        above = was;
    }
    row[1] = first, row[ROWS] = last;
}

// Reads the outermost rows of the neighbouring warps. As the edges are double-buffered, one barrier is enough.
__device__ void exchange_edges(Rows& row, float4 (*edges)[2][32], unsigned w, unsigned lane) {
    __syncthreads();
    if (w > 0) row[0] = edges[w - 1][1][lane];
    if (w + 1 < WARPS) row[ROWS + 1] = edges[w + 1][0][lane];
}

__device__ float4 load(const float* plane, int y, unsigned x, unsigned width, unsigned height) {
    float4 row = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (y < 0 || y >= (int)height) return row;
    const float* p = plane + (size_t)y * width + x;
    if (x < width) row.x = p[0];
    if (x + 1 < width) row.y = p[1];
    if (x + 2 < width) row.z = p[2];
    if (x + 3 < width) row.w = p[3];
    return row;
}

__device__ void store(float* plane, int y, unsigned x, unsigned width, unsigned height, float4 row) {
    if (y < 0 || y >= (int)height) return;
    float* p = plane + (size_t)y * width + x;
    if (x < width) p[0] = row.x;
    if (x + 1 < width) p[1] = row.y;
    if (x + 2 < width) p[2] = row.z;
    if (x + 3 < width) p[3] = row.w;
}

// A shuffle to itself hides the value from the compiler: else it would recompute the factors at each step.
__device__ float opaque(float v) { return __shfl_sync(0xffffffff, v, threadIdx.x % 32); }

__device__ Weights weights_of(int y, unsigned x, unsigned width, unsigned height, float4 row) {
    bool inner = y > 0 && y + 1 < (int)height;
    auto factor = [=](unsigned x) { return opaque(inner && x > 0 && x + 1 < width ? 0.25f : 0.0f); };
    float4 f = make_float4(factor(x), factor(x + 1), factor(x + 2), factor(x + 3));
    return Weights{f, make_float4(f.x > 0 ? -0.0f : row.x, f.y > 0 ? -0.0f : row.y, f.z > 0 ? -0.0f : row.z,
                                  f.w > 0 ? -0.0f : row.w)};
}

extern "C" __global__ __cluster_dims__(BLOCKS, 1, 1) void __launch_bounds__(32 * WARPS, 1)
    cluster(const float* __restrict__ u, float* __restrict__ v, unsigned width, unsigned height, unsigned steps) {
    __shared__ alignas(16) Exchange e;
    // The shuffle shows the compiler that a warp has one value of w.
    unsigned lane = threadIdx.x % 32, w = __shfl_sync(0xffffffff, threadIdx.x / 32, 0), x = 4 * lane;
    int block = blockIdx.x, y = block * OWN + ((int)w - 1) * ROWS; // of the warp's first own row
    Rows row;
    Weights weights[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS + 2; i++) row[i] = load(u, y - 1 + i, x, width, height);
#pragma unroll
    for (int i = 0; i < ROWS; i++) weights[i] = weights_of(y + i, x, width, height, row[1 + i]);

    // Two warps exchange rows with the block above, and two with that below.
    unsigned side = w / 2;
    bool middle = w == 1 || w == 2;
    Neighbour other = neighbour(e, side == 0 ? block - 1 : block + 1, 1 - side);
    if (threadIdx.x < 4) {
        word* barrier = &e.arrived[threadIdx.x / 2][threadIdx.x % 2];
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        mbarrier_arrive_expect_tx(barrier);
    }
    cluster_sync(); // no block sends before all barriers exist

    unsigned left = steps, turn = 0;
    for (unsigned round = 0; left > ROWS; round++, left -= ROWS) {
        // A neighbour sends to this half again when it has what is sent in the next round.
        unsigned half = round % 2, parity = round / 2 % 2;
#pragma unroll
        for (int s = 0; s < ROWS; s++, turn ^= 1) {
            bool sends = s + 1 == ROWS && middle && other.exists;
            step(row, weights, e.edges[turn], w, lane, [&](int i, float4 made) {
                if (sends) store_async(other, half, i, made);
            });
            exchange_edges(row, e.edges[turn], w, lane); // in the end while rows of other blocks are in flight
        }
        if (other.exists) {
            mbarrier_wait(&e.arrived[half][side], parity);
            // The rows that have arrived are the outer warp's, one of which lies next to the middle warp's.
            const float4(*come)[32] = e.inbox[half][side];
            if (w == 1) row[0] = come[ROWS - 1][lane];
            if (w == 2) row[ROWS + 1] = come[0][lane];
            if (!middle) {
#pragma unroll
                for (int i = 0; i < ROWS; i++) row[1 + i] = come[i][lane];
                if (lane == 0) mbarrier_arrive_expect_tx(&e.arrived[half][side]);
            }
        }
    }
    for (; left > 0; left--, turn ^= 1) {
        step(row, weights, e.edges[turn], w, lane, [](int, float4) {});
        exchange_edges(row, e.edges[turn], w, lane);
    }

    if (middle) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) store(v, y + i, x, width, height, row[1 + i]);
    }
    cluster_sync(); // no block leaves while another may still send to it
}
