// Many steps of Jacobi's method in one launch, on a plane that the registers of a cluster hold: see jacobi.cu.
//
//  cluster  like several (jacobi.cu), but all steps in one launch, and the points stay in registers. A warp has ROWS rows
//           of the plane, four columns a lane; neighbours to the left and right come by shuffles. It also has STEPS
//           rows above and as many below, and makes in these what its neighbours make, so that it takes STEPS steps
//           before it needs rows of theirs. Those go straight into the shared memory of the blocks whose warps need
//           them (distributed shared memory), and the data themselves arrive at the receiver's barrier: no warp waits
//           for any but its two neighbours. Two rows and two steps: making a row twice costs less than a wait.
//
// It needs a cluster and st.async: compute capability 9.0. The plane has at most 128 x 128 points. Grid: BLOCKS blocks
// of 32 x WARPS threads; no dynamic shared memory. It adds in the order of all other kernels: they agree to the last bit.
// target: compute_90a

constexpr int BLOCKS = 8, WARPS = 8, ROWS = 128 / (BLOCKS * WARPS), STEPS = 2, ALL = ROWS + 2 * STEPS;
typedef unsigned long long word;

// What neighbours send to the warps of a block: two halves that take turns, so that rows can arrive while those of the
// step before are read.
struct Inbox {
    float4 rows[2][WARPS][2][STEPS][32]; // [half][receiver][from above, from below]
    word arrived[2][WARPS];
};

__device__ unsigned address(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }

// The address in the shared memory of block `rank` of the cluster that `here` is in this block's.
__device__ unsigned address_in(unsigned here, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    return there;
}

__device__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The barrier completes a phase when `bytes` bytes have come.
__device__ void expect(word* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes) : "memory");
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

// A neighbour: where its inbox has room for this warp's rows, and the barrier at which they arrive.
struct Neighbour {
    bool exists;
    unsigned rows, arrived;
};

// Warp `warp` of the cluster takes what comes from this one in place `side`.
__device__ Neighbour neighbour(Inbox& inbox, int warp, unsigned side) {
    if (warp < 0 || warp >= BLOCKS * WARPS) return Neighbour{false, 0, 0};
    unsigned rank = warp / WARPS, w = warp % WARPS;
    return Neighbour{true, address_in(address(&inbox.rows[0][w][side][0][threadIdx.x % 32]), rank),
                     address_in(address(&inbox.arrived[0][w]), rank)};
}

// Sends a lane's part of STEPS rows to a neighbour, if there is one; its barrier counts the bytes.
__device__ void send(const Neighbour& to, unsigned half, const float4* row) {
    if (!to.exists) return;
    unsigned rows = to.rows + half * sizeof(Inbox::rows[0]), arrived = to.arrived + half * sizeof(Inbox::arrived[0]);
#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                rows + i * 32 * (unsigned)sizeof(float4)),
            "f"(row[i].x), "f"(row[i].y), "f"(row[i].z), "f"(row[i].w), "r"(arrived)
            : "memory");
    }
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

// One step for the rows from `from` on, up to but not including `to`: row by row downwards.
template <int COUNT>
__device__ void step(float4 (&row)[COUNT], int from, int to, const Moves (&moves)[COUNT]) {
    float4 above = row[from - 1]; // as it was
#pragma unroll
    for (int i = 1; i < COUNT - 1; i++) {
        if (i < from || i >= to) continue;
        float4 was = row[i];
        row[i] = mean(sides(was), above, was, row[i + 1], moves[i]);
        above = was;
    }
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

extern "C" __global__ __cluster_dims__(BLOCKS, 1, 1) void __launch_bounds__(32 * WARPS)
    cluster(const float* __restrict__ u, float* __restrict__ v, unsigned width, unsigned height, unsigned steps) {
    __shared__ alignas(16) Inbox inbox;
    unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32, x = 4 * lane;
    int warp = blockIdx.x * WARPS + w, y = warp * ROWS - STEPS; // of the first of all its rows
    float4 row[ALL];
    Moves moves[ALL];
#pragma unroll
    for (int i = 0; i < ALL; i++) {
        row[i] = load(u, y + i, x, width, height);
        unsigned inner = y + i > 0 && y + i + 1 < (int)height ? 0xffffffff : 0;
        moves[i] = {x > 0 && x + 1 < width ? inner : 0, x + 2 < width ? inner : 0, x + 3 < width ? inner : 0,
                    x + 4 < width ? inner : 0};
    }

    Neighbour up = neighbour(inbox, warp - 1, 1), down = neighbour(inbox, warp + 1, 0);
    unsigned bytes = (up.exists + down.exists) * STEPS * 32 * sizeof(float4);
    if (lane == 0) {
        for (int half = 0; half < 2; half++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&inbox.arrived[half][w])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int half = 0; half < 2; half++) expect(&inbox.arrived[half][w], bytes);
    }
    cluster_barrier(); // nobody sends before all barriers are there

    unsigned left = steps;
    for (unsigned round = 0; left > STEPS; round++, left -= STEPS) {
        // With each step, one row less on either side is right.
#pragma unroll
        for (int s = 0; s < STEPS; s++) step<ALL>(row, s + 1, ALL - 1 - s, moves);
        // A neighbour sends to this half again when it has what is sent in the next round.
        unsigned half = round % 2;
        send(up, half, row + STEPS);
        send(down, half, row + ROWS);
        wait(&inbox.arrived[half][w], round / 2 % 2);
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            if (up.exists) row[i] = inbox.rows[half][w][0][i][lane];
            if (down.exists) row[STEPS + ROWS + i] = inbox.rows[half][w][1][i][lane];
        }
        if (lane == 0) expect(&inbox.arrived[half][w], bytes);
    }
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        if (s < left) step<ALL>(row, s + 1, ALL - 1 - s, moves);
    }

#pragma unroll
    for (int i = STEPS; i < STEPS + ROWS; i++) {
        if (y + i >= (int)height) break;
        float* p = v + (size_t)(y + i) * width + x;
        if (x < width) p[0] = row[i].x;
        if (x + 1 < width) p[1] = row[i].y;
        if (x + 2 < width) p[2] = row[i].z;
        if (x + 3 < width) p[3] = row[i].w;
    }
    cluster_barrier(); // no block leaves while another may still send to it
}
