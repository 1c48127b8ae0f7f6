// Kernels of one kind of access each, to compare what the machine counts with a GPU: textures and surfaces, what reaches
// the L2 cache, copies in bulk and by tensor maps, products by a warpgroup. Each is launched once; nothing is checked.
// nvcc: -gencode arch=compute_90a,code=[compute_90a,sm_90a] -std=c++17
// device: h200
#include "../../../harness/libcudart/tests/programs/tensor_maps.cuh"
#include <cstdint>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

const int THREADS = 128, BLOCKS = 4, LANES = THREADS * BLOCKS;
const int WIDTH = 128, HEIGHT = 128, DEPTH = 8;

__device__ int at() {
    return blockIdx.x * THREADS + threadIdx.x;
}

// ---- textures: consecutive elements, elements of eight sectors apart, one element; four numbers at once ----
__global__ void fetch_row(cudaTextureObject_t texture, float *out) {
    out[at()] = tex1Dfetch<float>(texture, at());
}
__global__ void fetch_apart(cudaTextureObject_t texture, float *out) {
    out[at()] = tex1Dfetch<float>(texture, at() * 8);
}
__global__ void fetch_one(cudaTextureObject_t texture, float *out) {
    out[at()] = tex1Dfetch<float>(texture, 5);
}
__global__ void fetch_wide(cudaTextureObject_t texture, float *out) {
    float4 four = tex1Dfetch<float4>(texture, at());
    out[at()] = four.x + four.y + four.z + four.w;
}
// A warp reads a row, a column, a square of 8 by 4 of an array; points, or between points.
__global__ void array_row(cudaTextureObject_t texture, float *out) {
    out[at()] = tex2D<float>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}
__global__ void array_column(cudaTextureObject_t texture, float *out) {
    out[at()] = tex2D<float>(texture, blockIdx.x + 0.5f, threadIdx.x + 0.5f);
}
__global__ void array_square(cudaTextureObject_t texture, float *out) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    out[at()] = tex2D<float>(texture, 8 * warp + lane % 8 + 0.5f, 4 * blockIdx.x + lane / 8 + 0.5f);
}
__global__ void array_between(cudaTextureObject_t texture, float *out) {
    out[at()] = tex2D<float>(texture, threadIdx.x + 1.0f, blockIdx.x + 1.0f);
}
__global__ void array_volume(cudaTextureObject_t texture, float *out) {
    out[at()] = tex3D<float>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f, 3.5f);
}
__global__ void surface_read(cudaSurfaceObject_t surface, float *out) {
    out[at()] = surf2Dread<float>(surface, threadIdx.x * 4, blockIdx.x);
}
__global__ void surface_write(cudaSurfaceObject_t surface) {
    surf2Dwrite<float>(at(), surface, threadIdx.x * 4, blockIdx.x);
}

// ---- what reaches L2: each sector once, each by two blocks, one word of a sector; stores of both kinds; atomics ----
__global__ void read_once(const float *in, float *out) {
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += in[k * LANES + at()];
    out[at()] = sum;
}
__global__ void read_by_all(const float *in, float *out) {
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += in[k * THREADS + threadIdx.x];
    out[at()] = sum;
}
__global__ void read_again(const float *in, float *out) {
    float sum = in[at()];
    __syncthreads();
    out[at()] = sum + in[at() ^ 33];
}
__global__ void read_apart(const float *in, float *out) {
    out[at()] = in[at() * 8];
}
__global__ void write_once(float *out) {
    for (int k = 0; k < 8; k++) out[k * LANES + at()] = k;
}
__global__ void write_apart(float *out) {
    out[at() * 8] = 1;
}
__global__ void add_spread(int *out) {
    atomicAdd(out + at(), 1);
}
__global__ void add_one_place(int *out) {
    atomicAdd(out, at());
}
__global__ void fetch_add(int *out) {
    out[LANES + at()] = atomicAdd(out + at() / 4, 1);
}

// ---- copies in bulk: in, out, added; large and of 16 bytes ----
const int BULK = 4096;

__device__ void wait(uint64_t *barrier) {
    while (!ptx::mbarrier_try_wait_parity(barrier, 0)) {
    }
}

template <int BYTES, int PARTS> __device__ void bring(char *to, const char *from, uint64_t *barrier) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, BYTES);
        for (int k = 0; k < PARTS; k++) {
            const int part = BYTES / PARTS;
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + k * part, from + k * part, part, barrier);
        }
    }
    __syncthreads();
    wait(barrier);
}

__global__ void bulk_in(const char *in, int *out) {
    __shared__ alignas(128) char tile[BULK];
    __shared__ uint64_t barrier;
    bring<BULK, 1>(tile, in + blockIdx.x * BULK, &barrier);
    out[at()] = tile[threadIdx.x];
}
__global__ void bulk_in_16(const char *in, int *out) {
    __shared__ alignas(128) char tile[512];
    __shared__ uint64_t barrier;
    bring<512, 32>(tile, in + blockIdx.x * 512, &barrier);
    out[at()] = tile[threadIdx.x];
}
__global__ void bulk_out(char *out) {
    __shared__ alignas(128) char tile[BULK];
    for (int k = threadIdx.x; k < BULK; k += THREADS) tile[k] = k;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * BULK, tile, BULK);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
__global__ void bulk_add(int *out) {
    __shared__ alignas(128) int tile[BULK / 4];
    for (int k = threadIdx.x; k < BULK / 4; k += THREADS) tile[k] = k;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, tile, BULK);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// ---- tiles by tensor maps: in, one that hangs over the edge, for both blocks of a cluster, out ----
const int TILE = 32;

__device__ void tile_in(int *tile, const CUtensorMap *map, int x, int y, uint64_t *barrier) {
    if (threadIdx.x == 0) {
        int32_t where[2] = {x, y};
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, TILE * TILE * 4);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, where, barrier);
    }
    __syncthreads();
    wait(barrier);
}
__global__ void tensor_in(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(1024) int tile[TILE * TILE];
    __shared__ uint64_t barrier;
    tile_in(tile, &map, blockIdx.x * TILE, 0, &barrier);
    out[at()] = tile[threadIdx.x];
}
__global__ void tensor_in_swizzled(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(1024) int tile[TILE * TILE];
    __shared__ uint64_t barrier;
    tile_in(tile, &map, blockIdx.x * TILE, TILE, &barrier);
    out[at()] = tile[threadIdx.x];
}
__global__ void tensor_in_edge(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(1024) int tile[TILE * TILE];
    __shared__ uint64_t barrier;
    tile_in(tile, &map, WIDTH - 20, int(blockIdx.x) * TILE - 12, &barrier);
    out[at()] = tile[threadIdx.x];
}
__global__ void tensor_out(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(1024) int tile[TILE * TILE];
    for (int k = threadIdx.x; k < TILE * TILE; k += THREADS) tile[k] = k;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        int32_t where[2] = {int32_t(blockIdx.x * TILE), 2 * TILE};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, where, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
__global__ void __cluster_dims__(2, 1, 1) tensor_for_two(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ alignas(1024) int tile[TILE * TILE];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile);
    }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && blockIdx.x % 2 == 0) {
        int32_t where[2] = {int32_t(blockIdx.x / 2 * TILE), 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, where, &barrier, uint16_t(3));
    }
    wait(&barrier);
    out[at()] = tile[threadIdx.x];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// ---- products by a warpgroup: how many numbers wide, of which type, the first factor from registers ----
__device__ uint64_t make_smem_desc(const void *matrix) {
    uint64_t place = __cvta_generic_to_shared(matrix);
    return (place & 0x3ffff) >> 4 | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
}
#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define FINISH                                                                                                         \
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                                     \
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")
// A kernel of TURNS products of 64 by 8 numbers.
#define NARROW(name, shape, number, type, last)                                                                        \
    __global__ void name(float *out, int turns) {                                                                      \
        __shared__ alignas(1024) uint4 a[512], b[512];                                                                 \
        for (int k = threadIdx.x; k < 512; k += THREADS) a[k] = b[k] = make_uint4(0, 0, 0, 0);                         \
        ptx::fence_proxy_async(ptx::space_shared);                                                                     \
        __syncthreads();                                                                                               \
        number d[4] = {};                                                                                              \
        uint64_t of_a = make_smem_desc(a), of_b = make_smem_desc(b);                                                   \
        FENCE;                                                                                                         \
        for (int k = 0; k < turns; k++)                                                                                \
            asm volatile("wgmma.mma_async.sync.aligned." shape "." type " {%0, %1, %2, %3}, %4, %5, 1" last ";\n"      \
                         : "+" LETTER(number)(d[0]), "+" LETTER(number)(d[1]), "+" LETTER(number)(d[2]),               \
                           "+" LETTER(number)(d[3])                                                                    \
                         : "l"(of_a), "l"(of_b));                                                                      \
        FINISH;                                                                                                        \
        out[at()] = d[0] + d[1] + d[2] + d[3];                                                                         \
    }
#define LETTER_float "f"
#define LETTER_int "r"
#define LETTER(number) LETTER_##number
NARROW(group_half, "m64n8k16", float, "f32.f16.f16", ", 1, 1, 0, 0")
NARROW(group_bfloat, "m64n8k16", float, "f32.bf16.bf16", ", 1, 1, 0, 0")
NARROW(group_tf32, "m64n8k8", float, "f32.tf32.tf32", ", 1, 1")
NARROW(group_fp8, "m64n8k32", float, "f32.e4m3.e4m3", ", 1, 1")
NARROW(group_bytes, "m64n8k32", int, "s32.s8.s8", "")

__global__ void group_half_32(float *out, int turns) {
    __shared__ alignas(1024) uint4 a[512], b[512];
    for (int k = threadIdx.x; k < 512; k += THREADS) a[k] = b[k] = make_uint4(0, 0, 0, 0);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    float d[16] = {};
    uint64_t of_a = make_smem_desc(a), of_b = make_smem_desc(b);
    FENCE;
    for (int k = 0; k < turns; k++)
        asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                     "%11, %12, %13, %14, %15}, %16, %17, 1, 1, 1, 0, 0;\n"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                       "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),
                       "+f"(d[15])
                     : "l"(of_a), "l"(of_b));
    FINISH;
    float sum = 0;
    for (float one : d) sum += one;
    out[at()] = sum;
}
__global__ void group_registers(float *out, int turns) {
    __shared__ alignas(1024) uint4 b[512];
    for (int k = threadIdx.x; k < 512; k += THREADS) b[k] = make_uint4(0, 0, 0, 0);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    float d[4] = {};
    uint32_t a = threadIdx.x;
    uint64_t of_b = make_smem_desc(b);
    FENCE;
    for (int k = 0; k < turns; k++)
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, 1, 1, 1, "
                     "0;\n"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a), "l"(of_b));
    FINISH;
    out[at()] = d[0] + d[1] + d[2] + d[3];
}

static cudaTextureObject_t texture_of(cudaResourceDesc resource, cudaTextureFilterMode filter) {
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    how.filterMode = filter;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

static cudaResourceDesc linear(void *data, cudaChannelFormatDesc format, size_t bytes) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data, resource.res.linear.desc = format, resource.res.linear.sizeInBytes = bytes;
    return resource;
}

// An array of one slice, if its depth is 0, or more, filled from `zeros`.
static cudaResourceDesc array(cudaExtent extent, void *zeros) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    OK(cudaMalloc3DArray(&resource.res.array.array, &format, extent, cudaArraySurfaceLoadStore));
    cudaMemcpy3DParms fill = {};
    fill.srcPtr = make_cudaPitchedPtr(zeros, extent.width * 4, extent.width, extent.height);
    fill.dstArray = resource.res.array.array;
    fill.extent = make_cudaExtent(extent.width, extent.height, extent.depth ? extent.depth : 1);
    fill.kind = cudaMemcpyDeviceToDevice;
    OK(cudaMemcpy3D(&fill));
    return resource;
}

int main() {
    const size_t bytes = 1 << 20;
    char *in, *out;
    OK(cudaMalloc(&in, bytes));
    OK(cudaMalloc(&out, bytes));
    OK(cudaMemset(in, 0, bytes));
    OK(cudaMemset(out, 0, bytes));
    float *reals = (float *)in, *sums = (float *)out;
    int *integers = (int *)out;

    auto one = texture_of(linear(in, cudaCreateChannelDesc<float>(), bytes), cudaFilterModePoint);
    auto four = texture_of(linear(in, cudaCreateChannelDesc<float4>(), bytes), cudaFilterModePoint);
    fetch_row<<<BLOCKS, THREADS>>>(one, sums);
    fetch_apart<<<BLOCKS, THREADS>>>(one, sums);
    fetch_one<<<BLOCKS, THREADS>>>(one, sums);
    fetch_wide<<<BLOCKS, THREADS>>>(four, sums);
    cudaResourceDesc plane_of = array(make_cudaExtent(WIDTH, HEIGHT, 0), in);
    cudaResourceDesc volume_of = array(make_cudaExtent(WIDTH, HEIGHT, DEPTH), in);
    auto points = texture_of(plane_of, cudaFilterModePoint), between = texture_of(plane_of, cudaFilterModeLinear);
    array_row<<<BLOCKS, THREADS>>>(points, sums);
    array_column<<<BLOCKS, THREADS>>>(points, sums);
    array_square<<<BLOCKS, THREADS>>>(points, sums);
    array_between<<<BLOCKS, THREADS>>>(between, sums);
    array_volume<<<BLOCKS, THREADS>>>(texture_of(volume_of, cudaFilterModePoint), sums);
    cudaSurfaceObject_t surface;
    OK(cudaCreateSurfaceObject(&surface, &plane_of));
    surface_write<<<BLOCKS, THREADS>>>(surface);
    surface_read<<<BLOCKS, THREADS>>>(surface, sums);

    read_once<<<BLOCKS, THREADS>>>(reals, sums);
    read_by_all<<<BLOCKS, THREADS>>>(reals, sums);
    read_again<<<BLOCKS, THREADS>>>(reals, sums);
    read_apart<<<BLOCKS, THREADS>>>(reals, sums);
    write_once<<<BLOCKS, THREADS>>>(sums);
    write_apart<<<BLOCKS, THREADS>>>(sums);
    add_spread<<<BLOCKS, THREADS>>>(integers);
    add_one_place<<<BLOCKS, THREADS>>>(integers);
    fetch_add<<<BLOCKS, THREADS>>>(integers);

    bulk_in<<<BLOCKS, THREADS>>>(in, integers);
    bulk_in_16<<<BLOCKS, THREADS>>>(in, integers);
    bulk_out<<<BLOCKS, THREADS>>>(out);
    bulk_add<<<BLOCKS, THREADS>>>(integers);
    CUtensorMap map, swizzled, to;
    const CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_INT32;
    IS(plane(&map, type, in, WIDTH, HEIGHT, TILE, TILE) == CUDA_SUCCESS);
    IS(plane(&swizzled, type, in, WIDTH, HEIGHT, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_SUCCESS);
    IS(plane(&to, type, out, WIDTH, HEIGHT, TILE, TILE) == CUDA_SUCCESS);
    tensor_in<<<BLOCKS, THREADS>>>(map, integers);
    tensor_in_swizzled<<<BLOCKS, THREADS>>>(swizzled, integers);
    tensor_in_edge<<<BLOCKS, THREADS>>>(map, integers);
    tensor_for_two<<<BLOCKS, THREADS>>>(map, integers);
    tensor_out<<<BLOCKS, THREADS>>>(to);

    const int turns = 5;
    group_half<<<BLOCKS, THREADS>>>(sums, turns);
    group_bfloat<<<BLOCKS, THREADS>>>(sums, turns);
    group_tf32<<<BLOCKS, THREADS>>>(sums, turns);
    group_fp8<<<BLOCKS, THREADS>>>(sums, turns);
    group_bytes<<<BLOCKS, THREADS>>>(sums, turns);
    group_half_32<<<BLOCKS, THREADS>>>(sums, turns);
    group_registers<<<BLOCKS, THREADS>>>(sums, turns);
    OK(cudaDeviceSynchronize());
    puts("counted");
}
