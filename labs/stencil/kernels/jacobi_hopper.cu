// Many steps of Jacobi's method in one launch, on a plane that the registers of a cluster hold: see jacobi.cu.
//
//  cluster  like several (jacobi.cu), but all steps in one launch, and the points stay in registers. A warp has ROWS rows
//           of the plane, four columns a lane; neighbours to the left and right come by shuffles. It also has HALO rows
//           of its neighbours above and below, so that it does HALO steps before it needs anything of them: the halo
//           becomes invalid from outside, a row a step. Then each warp sends its outermost rows straight into the
//           shared memory of the blocks that need them (distributed shared memory), and the data themselves arrive at
//           the receiver's barrier: no warp waits for any but its two neighbours.
//
// It needs a cluster and st.async: compute capability 9.0. The plane has at most 128 x 128 points. Grid: BLOCKS blocks of
// 32 x WARPS threads; no dynamic shared memory. It adds in the order of all other kernels, so that they agree to the last bit.
// target: compute_90a

constexpr int BLOCKS = 8, WARPS = 4, ROWS = 128 / (BLOCKS * WARPS), HALO = 4;
// Rows in a warp's registers: HALO of the warp above, its own, and HALO of the warp below.
constexpr int HELD = ROWS + 2 * HALO;
static_assert(HALO <= ROWS, "a warp's halo comes from one neighbour");
typedef unsigned long long word;

// What neighbours send to the warps of a block: two halves that take turns, so that rows can arrive while those of the
// round before are read.
struct Inbox {
    float4 rows[2][WARPS][2][HALO][32]; // [half][receiver][from above, from below]
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

// Sends HALO rows from `first` on.
__device__ void send(const Neighbour& to, unsigned half, const float4* first) {
    if (!to.exists) return;
#pragma unroll
    for (int i = 0; i < HALO; i++) {
        unsigned row = to.rows + half * sizeof(Inbox::rows[0]) + i * 32 * sizeof(float4);
        unsigned barrier = to.arrived + half * sizeof(Inbox::arrived[0]);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(row),
                     "f"(first[i].x), "f"(first[i].y), "f"(first[i].z), "f"(first[i].w), "r"(barrier)
                     : "memory");
    }
}

// Which of a lane's points never move: those of the left and right border, and those outside.
struct Still {
    bool x, y, z, w;
};

// One step for rows `first` to `end - 1` of those held, from the top down: the row above is kept as it was.
__device__ void step(float4 (&v)[HELD], int first, int end, int top, int height, Still still) {
    float4 above = v[first - 1];
#pragma unroll
    for (int i = 1; i < HELD - 1; i++) {
        if (i < first || i >= end) continue;
        float4 was = v[i], below = v[i + 1];
        float left = __shfl_up_sync(0xffffffff, was.w, 1), right = __shfl_down_sync(0xffffffff, was.x, 1);
        bool inner = top + i > 0 && top + i < height - 1;
        if (inner && !still.x) v[i].x = 0.25f * (left + was.y + above.x + below.x);
        if (inner && !still.y) v[i].y = 0.25f * (was.x + was.z + above.y + below.y);
        if (inner && !still.z) v[i].z = 0.25f * (was.y + was.w + above.z + below.z);
        if (inner && !still.w) v[i].w = 0.25f * (was.z + right + above.w + below.w);
        above = was;
    }
}

extern "C" __global__ __cluster_dims__(8, 1, 1) void __launch_bounds__(32 * WARPS)
    cluster(const float* __restrict__ u, float* __restrict__ v, unsigned width, unsigned height, unsigned steps) {
    __shared__ alignas(16) Inbox inbox;
    unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32, x = 4 * lane;
    int warp = blockIdx.x * WARPS + w, top = warp * ROWS - HALO;
    Still still{x == 0 || x + 1 >= width, x + 2 >= width, x + 3 >= width, x + 4 >= width};

    float4 held[HELD];
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        const float* row = u + (size_t)(top + i) * width + x;
        bool here = top + i >= 0 && top + i < (int)height;
        held[i].x = here && x < width ? row[0] : 0.0f;
        held[i].y = here && x + 1 < width ? row[1] : 0.0f;
        held[i].z = here && x + 2 < width ? row[2] : 0.0f;
        held[i].w = here && x + 3 < width ? row[3] : 0.0f;
    }

    Neighbour above = neighbour(inbox, warp - 1, 1), below = neighbour(inbox, warp + 1, 0);
    unsigned bytes = (above.exists + below.exists) * HALO * 32 * sizeof(float4);
    if (lane == 0) {
        for (int half = 0; half < 2; half++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&inbox.arrived[half][w])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int half = 0; half < 2; half++) expect(&inbox.arrived[half][w], bytes);
    }
    cluster_barrier(); // nobody sends before all barriers are there

    for (unsigned round = 0, done = 0;; round++) {
#pragma unroll
        for (int s = 0; s < HALO; s++) {
            if (done + s < steps) step(held, 1 + s, HELD - 1 - s, top, height, still);
        }
        done += HALO;
        if (done >= steps) break;
        // A half is used again two rounds later. By then its owner has sent its rows of the round between, and it has read
        // the half before that.
        unsigned half = round % 2;
        send(above, half, &held[HALO]);
        send(below, half, &held[ROWS]);
        wait(&inbox.arrived[half][w], round / 2 % 2);
#pragma unroll
        for (int i = 0; i < HALO; i++) {
            if (above.exists) held[i] = inbox.rows[half][w][0][i][lane];
            if (below.exists) held[HALO + ROWS + i] = inbox.rows[half][w][1][i][lane];
        }
        __syncwarp(); // all lanes have read
        if (lane == 0) expect(&inbox.arrived[half][w], bytes);
    }

#pragma unroll
    for (int i = HALO; i < HALO + ROWS; i++) {
        float* row = v + (size_t)(top + i) * width + x;
        if (top + i >= (int)height) break;
        if (x < width) row[0] = held[i].x;
        if (x + 1 < width) row[1] = held[i].y;
        if (x + 2 < width) row[2] = held[i].z;
        if (x + 3 < width) row[3] = held[i].w;
    }
    cluster_barrier(); // no block leaves while another may still send to it
}
