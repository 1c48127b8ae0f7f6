// What kernels for Hopper (compute capability 9.0) are made of: barriers in shared memory, copies of boxes by the tensor
// memory accelerator (TMA), and products by warpgroups (wgmma). Each function is one or two instructions of PTX.
#pragma once

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// A tensor map, as the host makes it: where a matrix lies, and how a box of it is laid out in shared memory.
struct __align__(64) Map {
    unsigned long long opaque[16];
};

// ---- Barriers. A phase ends when all have arrived and all announced bytes are there; `parity` is the phase's number
// modulo 2.

__device__ void barrier_init(unsigned long long* barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ void barrier_wait(unsigned long long* barrier, unsigned parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra over;\n"
        "bra again;\n"
        "over:\n"
        "}\n" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}
// Arrives, and announces bytes that copies will bring.
__device__ void barrier_expect(unsigned long long* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}
// Arrives at the barrier in the same place of the cluster's block `rank`. It says that shared memory has been read; to
// order writes to global memory for the cluster as well would cost a fence, and is not needed.
__device__ void barrier_arrive(unsigned long long* barrier, unsigned rank) {
    asm volatile(
        "{\n"
        ".reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
        "}\n" ::"r"(shared_address(barrier)),
        "r"(rank)
        : "memory");
}

// ---- Clusters

__device__ unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// Reads from the same place of the shared memory of the cluster's block `rank`.
__device__ float4 read_from(const float4* here, unsigned rank) {
    float4 v;
    asm volatile(
        "{\n"
        ".reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %4, %5;\n"
        "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n"
        "}\n"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "r"(shared_address(here)), "r"(rank)
        : "memory");
    return v;
}
// The barriers that were just made are seen by the cluster, and by the copies.
__device__ void fence_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

// ---- Copies of a box, whose first element is (x, y), to shared memory. Elements outside of the matrix become 0.

__device__ void copy_box(void* to, const Map* map, unsigned x, unsigned y, unsigned long long* barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            shared_address(to)),
        "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
        : "memory");
}
// As copy_box, but to the same place in each of the cluster's blocks whose bit is set in `blocks`.
__device__ void copy_box_to(void* to, const Map* map, unsigned x, unsigned y, unsigned long long* barrier,
                            unsigned short blocks) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
        "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(blocks)
        : "memory");
}

// ---- Registers: a warpgroup gives some back, or takes what others gave.

template <int COUNT>
__device__ void fewer_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT)); }
template <int COUNT>
__device__ void more_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT)); }

// ---- Products by a warpgroup. They run on their own; `product_wait` waits until at most STILL groups run.

__device__ void product_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void product_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int STILL>
__device__ void product_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(STILL) : "memory"); }

// Describes a tile in shared memory with a swizzle of 128 bytes: groups of 8 rows of 128 bytes lie `stride` bytes apart;
// `leading` is the distance between pieces that are 128 bytes wide, where the tile lies across the depth.
__device__ unsigned long long describe(const void* tile, unsigned leading, unsigned stride) {
    return (unsigned long long)(shared_address(tile) & 0x3ffff) >> 4 | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32 | 1ull << 62;
}

#define WGMMA_8(d, i) \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
        "+f"(d[i + 7])
#define WGMMA_64(d, i) \
    WGMMA_8(d, i), WGMMA_8(d, i + 8), WGMMA_8(d, i + 16), WGMMA_8(d, i + 24), WGMMA_8(d, i + 32), \
        WGMMA_8(d, i + 40), WGMMA_8(d, i + 48), WGMMA_8(d, i + 56)
#define WGMMA_NAMES_64 \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
    "%23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, " \
    "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_NAMES_128 \
    WGMMA_NAMES_64 \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, " \
    "%85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, " \
    "%105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, " \
    "%123, %124, %125, %126, %127"

// d (64 x 256) = a b, or += where `adds`: bfloat16, 16 deep; a lies along the depth, b across it.
__device__ void multiply_bf16(float (&d)[128], unsigned long long a, unsigned long long b, int adds) {
    asm volatile("{\n"
                 ".reg .pred adds;\n"
                 "setp.ne.b32 adds, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 " WGMMA_NAMES_128
                 "}, %128, %129, adds, 1, 1, 0, 1;\n"
                 "}\n"
                 : WGMMA_64(d, 0), WGMMA_64(d, 64)
                 : "l"(a), "l"(b), "r"(adds));
}

// d (64 x 256) = a b, or += where `adds`: TF32, 8 deep; a from registers, b along the depth.
__device__ void multiply_tf32(float (&d)[128], const unsigned (&a)[4], unsigned long long b, int adds) {
    asm volatile("{\n"
                 ".reg .pred adds;\n"
                 "setp.ne.b32 adds, %133, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 " WGMMA_NAMES_128
                 "}, {%128, %129, %130, %131}, %132, adds, 1, 1;\n"
                 "}\n"
                 : WGMMA_64(d, 0), WGMMA_64(d, 64)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds));
}

// d (64 x 128) = a b, or += where `adds`: TF32, 8 deep; both lie along the depth.
__device__ void multiply_tf32(float (&d)[64], unsigned long long a, unsigned long long b, int adds) {
    asm volatile("{\n"
                 ".reg .pred adds;\n"
                 "setp.ne.b32 adds, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 " WGMMA_NAMES_64
                 "}, %64, %65, adds, 1, 1;\n"
                 "}\n"
                 : WGMMA_64(d, 0)
                 : "l"(a), "l"(b), "r"(adds));
}

// ---- Which tile comes next. A cluster takes every `clusters`-th tile. Tiles are counted in bands of BAND rows of tiles,
// column by column in a band, so that the tiles of one moment need few rows of A and few columns of B: they stay in the
// second-level cache.
struct Tile {
    unsigned y, x;
};
__device__ Tile tile_of(unsigned number, unsigned rows, unsigned columns, unsigned band) {
    unsigned first = number / (band * columns) * band, height = min(band, rows - first);
    unsigned inside = number - first * columns;
    return {first + inside % height, inside / height};
}

// Where a pipeline of STAGES stages is: a stage, and the parity of the round.
template <unsigned STAGES>
struct Turn {
    unsigned stage = 0, parity = 0;
    __device__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

// Stores a warpgroup's results, 64 rows: of 8 columns, a thread has two neighbours in two rows.
template <unsigned SUMS>
__device__ void store_rows(float* C, unsigned m, unsigned n, unsigned row, unsigned column, const float (&d)[SUMS]) {
    unsigned lane = threadIdx.x % 32, y = row + threadIdx.x % 128 / 32 * 16 + lane / 4, x = column + lane % 4 * 2;
    // Where all columns are inside, and every pair begins at a multiple of 8 bytes, nothing else is asked.
    bool whole = n % 2 == 0 && column + 2 * SUMS <= n;
#pragma unroll
    for (unsigned half = 0; half < 2; half++) {
        if (y + half * 8 >= m) continue;
        float* to = C + (size_t)(y + half * 8) * n + x;
        if (whole) {
#pragma unroll
            for (unsigned i = 0; i < SUMS / 4; i++)
                __stcs((float2*)(to + i * 8), make_float2(d[i * 4 + half * 2], d[i * 4 + half * 2 + 1]));
            continue;
        }
#pragma unroll
        for (unsigned i = 0; i < SUMS / 2; i++) {
            unsigned c = i / 2 * 8 + i % 2;
            if (x + c < n) to[c] = d[i / 2 * 4 + half * 2 + i % 2];
        }
    }
}
