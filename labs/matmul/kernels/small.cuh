// What the tensor kernels for small C share: narrow products by a warpgroup, and the way in which blocks that share out
// the depth of a tile add up what they have.
#pragma once
#include "hopper.cuh"

#define WGMMA_32(d) WGMMA_8(d, 0), WGMMA_8(d, 8), WGMMA_8(d, 16), WGMMA_8(d, 24)
#define WGMMA_NAMES_32 \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
    "%23, %24, %25, %26, %27, %28, %29, %30, %31"

// d (64 x 64) += a b: bfloat16, 16 deep; a lies along the depth, b across it.
__device__ void add_bf16(float (&d)[32], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " WGMMA_NAMES_32 "}, %32, %33, 1, 1, 1, 0, 1;"
                 : WGMMA_32(d)
                 : "l"(a), "l"(b));
}
// As that, but d is 64 x 128.
__device__ void add_bf16(float (&d)[64], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 " WGMMA_NAMES_64
                 "}, %64, %65, 1, 1, 1, 0, 1;"
                 : WGMMA_64(d, 0)
                 : "l"(a), "l"(b));
}
// d (64 x 64) += a b: TF32, 8 deep; a from registers, b along the depth.
__device__ void add_tf32(float (&d)[32], const unsigned (&a)[4], unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 " WGMMA_NAMES_32
                 "}, {%32, %33, %34, %35}, %36, 1, 1, 1;"
                 : WGMMA_32(d)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
// As that, but d is 64 x 128.
__device__ void add_tf32(float (&d)[64], const unsigned (&a)[4], unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 " WGMMA_NAMES_64
                 "}, {%64, %65, %66, %67}, %68, 1, 1, 1;"
                 : WGMMA_64(d, 0)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// The copies read the map: it comes while the barriers are made.
__device__ void prefetch_map(const Map* map) { asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory"); }

// The threads that multiply, two warpgroups, and those of a block: one more warp, whose first thread asks for tiles.
const unsigned MULTIPLY = 256, THREADS = MULTIPLY + 32;

// The two halves of cluster_sync.
__device__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

// Where the clusters of a tile meet: a sum of each cluster for each element, and for each tile and rank in a cluster
// how many blocks have brought theirs.
struct Meeting {
    float4* sums;
    unsigned* came;
};

// C = A B in tiles of C, each of which `slices` blocks share out along the depth, BLOCKS of them in a cluster.
//
// `Of` has the tile, M x N, and what is done with it:
//   Stage            what is in shared memory of a step, of depth DEPTH; STAGES of them are there
//   SUMS             the sums of a thread that multiplies
//   TWICE            each of the two warpgroups has the whole tile, of half of each step; otherwise half of the tile
//   bring            asks for a step
//   multiply         adds up steps
//   put              stores four sums of a thread
template <class Of, unsigned BLOCKS>
struct Small {
    // A thread has FOURS times four sums. A part of the tile is four sums of each thread of a warpgroup, and there are
    // PARTS of them. The warpgroups of a cluster take them in turns, MINE each.
    enum : unsigned {
        FOURS = Of::SUMS / 4,
        PARTS = Of::TWICE ? FOURS : 2 * FOURS,
        STEP = 2 * BLOCKS,
        MINE = (PARTS + STEP - 1) / STEP
    };
    struct Shared {
        union {
            typename Of::Stage stage[Of::STAGES];
            float4 sums[2][FOURS][128];  // when all is multiplied
        };
        unsigned long long full[Of::STAGES], empty[Of::STAGES];
        unsigned is_last;
    };

    Shared& s;
    float* C;
    unsigned m, n, row, column;
    unsigned number, clusters, cluster, rank;  // of the tile; those of a tile, and this one; the block in it
    unsigned group, thread;                    // the warpgroup, and the thread in it

    __device__ unsigned part(unsigned i) const { return rank + BLOCKS * group + STEP * i; }
    __device__ void put(unsigned part, float4 v) const {
        Of::put(C, m, n, row, column, part / FOURS, part % FOURS, v);
    }
    __device__ static float4 sum(float4 a, float4 b) {
        return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }

    // Puts the block's sums into shared memory. If both warpgroups have the whole tile, each adds up half of its parts,
    // and leaves the other half for the other one.
    __device__ void leave(const float (&d)[Of::SUMS]) {
        auto four = [&](unsigned i) { return make_float4(d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3]); };
        auto is_mine = [&](unsigned i) { return !Of::TWICE || i / (FOURS / 2) == group; };
        if (Of::TWICE) {
            if (threadIdx.x < MULTIPLY) {
#pragma unroll
                for (unsigned i = 0; i < FOURS; i++)
                    if (!is_mine(i)) s.sums[group][i][thread] = four(i);
            }
            __syncthreads();
        }
        if (threadIdx.x < MULTIPLY) {
#pragma unroll
            for (unsigned i = 0; i < FOURS; i++) {
                if (!is_mine(i)) continue;
                if (Of::TWICE)
                    s.sums[0][i][thread] = sum(four(i), s.sums[1 - group][i][thread]);
                else
                    s.sums[group][i][thread] = four(i);
            }
        }
    }

    // What the cluster's blocks have of a part. They read each other's shared memory.
    __device__ float4 of_cluster(unsigned part) const {
        float4 all = {};
        const float4* there = &s.sums[part / FOURS][part % FOURS][thread];
#pragma unroll
        for (unsigned block = 0; block < BLOCKS; block++)
            all = sum(all, BLOCKS > 1 ? read_from(there, block) : *there);
        return all;
    }

    // Adds up what the clusters have left, always in their order. Of a few parts and clusters all loads are under way
    // before the first is used.
    __device__ void put_all(const float4* sums) const {
        const unsigned ABREAST = MINE < 4 ? MINE : 4, BATCH = 16 / ABREAST;
#pragma unroll 1
        for (unsigned i = 0; i < MINE; i += ABREAST) {
            float4 all[ABREAST] = {};
#pragma unroll 1
            for (unsigned first = 0; first < clusters; first += BATCH) {
                float4 of[ABREAST][BATCH];
#pragma unroll
                for (unsigned p = 0; p < ABREAST; p++)
#pragma unroll
                    for (unsigned c = 0; c < BATCH; c++) {
                        bool is_one = part(i + p) < PARTS && first + c < clusters;
                        of[p][c] = is_one ? __ldcg(&sums[(part(i + p) * clusters + first + c) * 128]) : float4{};
                    }
#pragma unroll
                for (unsigned p = 0; p < ABREAST; p++)
#pragma unroll
                    for (unsigned c = 0; c < BATCH; c++) all[p] = sum(all[p], of[p][c]);
            }
#pragma unroll
            for (unsigned p = 0; p < ABREAST; p++)
                if (part(i + p) < PARTS) put(part(i + p), all[p]);
        }
    }

    // The block's sums are in shared memory. Each block of a cluster adds up its parts. If the tile has one cluster,
    // that is C. Otherwise, of the blocks that have these parts the last one to come adds up what all have left.
    __device__ void add_up(Meeting meeting) {
        float4* sums = meeting.sums + (size_t)number * PARTS * clusters * 128 + thread;
        if (threadIdx.x < MULTIPLY) {
#pragma unroll
            for (unsigned i = 0; i < MINE; i++) {
                if (part(i) >= PARTS) break;
                float4 all = of_cluster(part(i));
                if (clusters == 1)
                    put(part(i), all);
                else
                    sums[(part(i) * clusters + cluster) * 128] = all;
            }
        }
        // A block may end only when no other block reads its memory.
        if (BLOCKS > 1) cluster_arrive();
        if (clusters == 1) return;
        __syncthreads();
        if (threadIdx.x == 0) {
            // What the block has left is seen before it is counted, and what others have left is read afterwards. The
            // count goes back to 0 for the next launch.
            unsigned before;
            asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                         : "=r"(before)
                         : "l"(meeting.came + number * BLOCKS + rank), "r"(clusters - 1)
                         : "memory");
            s.is_last = before == clusters - 1;
        }
        __syncthreads();
        if (s.is_last && threadIdx.x < MULTIPLY) put_all(sums);
    }
};

template <class Of, unsigned BLOCKS>
__device__ void product(const Map* of_a, const Map* of_b, float* C, unsigned m, unsigned k, unsigned n, unsigned slices,
                        Meeting meeting) {
    using Block = Small<Of, BLOCKS>;
    extern __shared__ __align__(1024) unsigned char memory[];
    typename Block::Shared& s = *(typename Block::Shared*)memory;
    if (threadIdx.x == 0) {
        prefetch_map(of_a);
        prefetch_map(of_b);
    }
    if (threadIdx.x == MULTIPLY) {
        for (unsigned i = 0; i < Of::STAGES; i++) {
            barrier_init(&s.full[i], 1);
            barrier_init(&s.empty[i], MULTIPLY / 32);
        }
        fence_barriers();
    }
    // The warp that brings tiles waits for no other.
    if (threadIdx.x < MULTIPLY) {
        asm volatile("bar.sync 1, %0;" ::"n"(THREADS) : "memory");
    } else {
        __syncwarp();
        asm volatile("bar.arrive 1, %0;" ::"n"(THREADS) : "memory");
    }
    unsigned long long steps = (k + Of::DEPTH - 1) / Of::DEPTH;
    unsigned number = blockIdx.x / slices, slice = blockIdx.x % slices;
    unsigned from = steps * slice / slices, to = steps * (slice + 1) / slices;
    Tile tile = tile_of(number, (m + Of::M - 1) / Of::M, (n + Of::N - 1) / Of::N, 8);
    Block block{s, C, m, n, tile.y * Of::M, tile.x * Of::N};
    block.number = number, block.clusters = slices / BLOCKS;
    block.cluster = slice / BLOCKS, block.rank = slice % BLOCKS;
    block.group = threadIdx.x / 128, block.thread = threadIdx.x % 128;
    if (threadIdx.x == MULTIPLY) {
        Turn<Of::STAGES> turn;
        for (unsigned step = from; step < to; step++, turn.next()) {
            barrier_wait(&s.empty[turn.stage], turn.parity ^ 1);
            barrier_expect(&s.full[turn.stage], sizeof(typename Of::Stage));
            Of::bring(s.stage[turn.stage], of_a, of_b, block.row, block.column, step * Of::DEPTH, &s.full[turn.stage]);
        }
    }
    float d[Of::SUMS] = {};
    if (threadIdx.x < MULTIPLY) Of::multiply(d, s.stage, s.full, s.empty, to - from, block.rank);
    // All stages have been read: the sums take their place.
    __syncthreads();
    block.leave(d);
    if constexpr (BLOCKS > 1)
        cluster_sync();
    else
        __syncthreads();
    block.add_up(meeting);
    if constexpr (BLOCKS > 1) cluster_wait();
}

// Stores two neighbours of a row.
__device__ void put_two(float* C, unsigned m, unsigned n, unsigned y, unsigned x, float u, float v) {
    if (y >= m || x >= n) return;
    float* to = C + (size_t)y * n + x;
    if (n % 2 == 0) {
        *(float2*)to = make_float2(u, v);
        return;
    }
    to[0] = u;
    if (x + 1 < n) to[1] = v;
}

#define KERNEL(NAME, OF, BLOCKS)                                                                                \
    extern "C" __global__ __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(THREADS, 1) void NAME(               \
        const __grid_constant__ Map of_a, const __grid_constant__ Map of_b, float* C, unsigned m, unsigned k,   \
        unsigned n, unsigned slices, float4* sums, unsigned* came) {                                            \
        product<OF, BLOCKS>(&of_a, &of_b, C, m, k, n, slices, {sums, came});                                    \
    }
