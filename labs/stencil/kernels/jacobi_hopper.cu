// Many steps of Jacobi's method in one launch, on a plane that the registers of a cluster hold: see jacobi.cu.
//
//  cluster  like several (jacobi.cu), but all steps in one launch, and the points stay in registers. A block has OWN rows
//           of the plane, and STEPS rows more above and below, in which it makes what its neighbours make: so it takes
//           STEPS steps before it needs rows of theirs. Those go straight into the shared memory of the block that needs
//           them (distributed shared memory), and the data themselves arrive at a barrier there: no block waits for any
//           but its two neighbours. Inside of a block a warp has ROWS rows, four columns a lane: neighbours to the left
//           and right come by shuffles, and those above and below are the outermost rows of other warps, which go
//           through shared memory at each step.
//
// Rows from another block take 0.25 us to arrive (on an H200), and a row made twice costs 0.02 us: deep layers pay. When
// each warp had layers of its own, two rows deep, and waited for two warps of the cluster every two steps, 500 steps took
// 0.111 ms instead of 0.097.
//
// It needs a cluster and st.async: compute capability 9.0. The plane has at most 128 x 128 points. Grid: BLOCKS blocks
// of 32 x WARPS threads; no dynamic shared memory. It adds in the order of all other kernels: they agree to the last bit.
// target: compute_90a

constexpr int BLOCKS = 8, WARPS = 8, ROWS = 4, STEPS = 8, OWN = 128 / BLOCKS;
static_assert(WARPS * ROWS == OWN + 2 * STEPS && STEPS <= OWN, "a block's rows, and its neighbours' outermost");
typedef unsigned long long word;

struct Exchange {
    float4 edges[2][WARPS + 2][2][32]; // [half][warp + 1][its first row, its last]; those of no warp are never used
    float4 inbox[2][2][STEPS][32];     // [half][from above, from below]: what the neighbours send
    word arrived[2][2];
};

__device__ inline unsigned address(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }

// The address in the shared memory of block `rank` of the cluster that `here` is in this block's.
__device__ unsigned address_in(unsigned here, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    return there;
}

__device__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The barrier completes a phase when STEPS rows have come.
__device__ void expect_rows(word* barrier) {
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)),
                 "r"((unsigned)sizeof(Exchange::inbox[0][0]))
                 : "memory");
}

__device__ void wait(word* barrier, unsigned parity) {
    unsigned done;
    do {
        asm volatile("{\n\t"
                     ".reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(address(barrier)), "r"(parity)
                     : "memory");
    } while (!done);
}

// A neighbour: where its inbox has room for this block's rows, and the barrier at which they arrive.
struct Neighbour {
    bool exists;
    unsigned rows, arrived;
};

// Block `rank` of the cluster takes what comes from this one in place `side` of its inbox.
__device__ Neighbour neighbour(Exchange& mine, int rank, unsigned side) {
    if (rank < 0 || rank >= BLOCKS) return Neighbour{false, 0, 0};
    return Neighbour{true, address_in(address(&mine.inbox[0][side][0][threadIdx.x % 32]), rank),
                     address_in(address(&mine.arrived[0][side]), rank)};
}

// Sends a lane's part of row `place` of STEPS; the neighbour's barrier counts the bytes.
__device__ void send(const Neighbour& to, unsigned half, int place, float4 row) {
    unsigned at = to.rows + half * sizeof(Exchange::inbox[0]) + place * 32 * sizeof(float4);
    unsigned arrived = to.arrived + half * sizeof(Exchange::arrived[0]);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(at),
                 "f"(row.x), "f"(row.y), "f"(row.z), "f"(row.w), "r"(arrived)
                 : "memory");
}

// The sums of left and right neighbours, with which each mean begins.
__device__ float4 sides(float4 row) {
    float left = __shfl_up_sync(0xffffffff, row.w, 1), right = __shfl_down_sync(0xffffffff, row.x, 1);
    return make_float4(left + row.y, row.x + row.z, row.y + row.w, row.z + right);
}

// Which of a row's four points move: all but the border's, and what is outside. A mask of bits each, all ones or none,
// because there are more than a multiprocessor has predicates for.
struct Moves {
    unsigned x, y, z, w;
};

__device__ float select(unsigned mask, float a, float b) {
    return __uint_as_float((__float_as_uint(a) & mask) | (__float_as_uint(b) & ~mask));
}

// The new row, in the points that move.
__device__ float4 mean(float4 sides, float4 above, float4 was, float4 below, Moves moves) {
    return make_float4(select(moves.x, 0.25f * (sides.x + above.x + below.x), was.x),
                       select(moves.y, 0.25f * (sides.y + above.y + below.y), was.y),
                       select(moves.z, 0.25f * (sides.z + above.z + below.z), was.z),
                       select(moves.w, 0.25f * (sides.w + above.w + below.w), was.w));
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

// The points of row y that move: none of the border's, nor of what is outside.
__device__ Moves moving(int y, unsigned x, unsigned width, unsigned height) {
    unsigned inner = y > 0 && y + 1 < (int)height ? 0xffffffff : 0;
    return {x > 0 && x + 1 < width ? inner : 0, x + 2 < width ? inner : 0, x + 3 < width ? inner : 0,
            x + 4 < width ? inner : 0};
}

// One step for a warp's rows. The edges of all warps lie in `now`, and those of the next step go to `next`.
__device__ void step(float4 (&row)[ROWS], const Moves (&moves)[ROWS], float4 (*now)[2][32], float4 (*next)[2][32]) {
    unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32;
    float4 above = now[w][1][lane], below = now[w + 2][0][lane]; // as they were
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        float4 was = row[i];
        row[i] = mean(sides(was), above, was, i + 1 < ROWS ? row[i + 1] : below, moves[i]);
        above = was;
    }
    next[w + 1][0][lane] = row[0], next[w + 1][1][lane] = row[ROWS - 1];
    __syncthreads();
}

extern "C" __global__ __cluster_dims__(BLOCKS, 1, 1) void __launch_bounds__(32 * WARPS)
    cluster(const float* __restrict__ u, float* __restrict__ v, unsigned width, unsigned height, unsigned steps) {
    __shared__ alignas(16) Exchange e;
    unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32, x = 4 * lane;
    // The warp's first row, in the block and in the plane.
    int block = blockIdx.x, first = w * ROWS, y = block * OWN - STEPS + first;
    float4 row[ROWS];
    Moves moves[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        row[i] = load(u, y + i, x, width, height);
        moves[i] = moving(y + i, x, width, height);
    }
    Neighbour up = neighbour(e, block - 1, 1), down = neighbour(e, block + 1, 0);
    for (unsigned i = threadIdx.x; i < sizeof e.edges / sizeof(float4); i += 32 * WARPS) e.edges[0][0][0][i] = float4();
    if (threadIdx.x < 4) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&e.arrived[0][threadIdx.x])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        expect_rows(&e.arrived[0][threadIdx.x]);
    }
    __syncthreads();
    e.edges[0][w + 1][0][lane] = row[0], e.edges[0][w + 1][1][lane] = row[ROWS - 1];
    cluster_barrier(); // nobody sends before all barriers are there

    unsigned left = steps, turn = 0;
    auto one = [&] { step(row, moves, e.edges[turn], e.edges[turn ^ 1]), turn ^= 1; };
    for (unsigned round = 0; left > STEPS; round++, left -= STEPS) {
        // With each step, one row less on either side is right.
#pragma unroll
        for (int s = 0; s < STEPS; s++) one();
        // A neighbour sends to this half again when it has what is sent in the next round.
        unsigned half = round % 2, parity = round / 2 % 2;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            int r = first + i;
            if (up.exists && r >= STEPS && r < 2 * STEPS) send(up, half, r - STEPS, row[i]);
            if (down.exists && r >= OWN && r < OWN + STEPS) send(down, half, r - OWN, row[i]);
        }
        bool from_above = up.exists && first < STEPS, from_below = down.exists && first + ROWS > STEPS + OWN;
        if (from_above) wait(&e.arrived[half][0], parity);
        if (from_below) wait(&e.arrived[half][1], parity);
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            int r = first + i;
            if (from_above && r < STEPS) row[i] = e.inbox[half][0][r][lane];
            if (from_below && r >= STEPS + OWN) row[i] = e.inbox[half][1][r - STEPS - OWN][lane];
        }
        e.edges[turn][w + 1][0][lane] = row[0], e.edges[turn][w + 1][1][lane] = row[ROWS - 1];
        __syncthreads();
        if (threadIdx.x == 0 ? up.exists : threadIdx.x == 1 && down.exists) expect_rows(&e.arrived[half][threadIdx.x]);
    }
    for (; left > 0; left--) one();

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        if (first + i < STEPS || first + i >= STEPS + OWN || y + i >= (int)height) continue;
        float* p = v + (size_t)(y + i) * width + x;
        if (x < width) p[0] = row[i].x;
        if (x + 1 < width) p[1] = row[i].y;
        if (x + 2 < width) p[2] = row[i].z;
        if (x + 3 < width) p[3] = row[i].w;
    }
    cluster_barrier(); // no block leaves while another may still send to it
}
