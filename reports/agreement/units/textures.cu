// Kernels that each fetch from one kind of texture, or load from or store to one kind of surface, in one pattern, to
// compare what the machine counts of them with a GPU. Each is launched once; nothing is checked. A block is one warp.
// nvcc: -gencode arch=compute_90a,code=[compute_90a,sm_90a] -std=c++17
// device: h200
#include "../../../harness/libcudart/tests/programs/common.cuh"

const int WIDTH = 128, HEIGHT = 128, DEPTH = 8, BLOCKS = 4;
const size_t BYTES = 1 << 20;

// The lane, the number of the block, and where a lane of a warp that takes a square of 8 by 4 is.
#define L int(threadIdx.x)
#define B int(blockIdx.x)
#define X (L % 8)
#define Y (L / 8)
// Where a warp that takes places far apart is.
#define AT (L * 37 % 32)

__device__ float sum(float v) { return v; }
__device__ float sum(unsigned char v) { return v; }
__device__ float sum(unsigned short v) { return v; }
__device__ float sum(int v) { return v; }
__device__ float sum(uchar4 v) { return v.x + v.y + v.z + v.w; }
__device__ float sum(ushort4 v) { return v.x + v.y + v.z + v.w; }
__device__ float sum(float2 v) { return v.x + v.y; }
__device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }

// A kernel whose lanes for which `when` holds fetch.
#define FETCHES(name, when, fetch)                                                                                     \
    __global__ void name(cudaTextureObject_t t, float *out) {                                                          \
        if (when) out[B * 32 + L] = sum(fetch);                                                                        \
    }
#define FETCH(name, fetch) FETCHES(name, true, fetch)
#define LOAD(name, fetch)                                                                                              \
    __global__ void name(cudaSurfaceObject_t t, float *out) {                                                          \
        out[B * 32 + L] = sum(fetch);                                                                                  \
    }
#define STORES(name, when, store)                                                                                      \
    __global__ void name(cudaSurfaceObject_t t) {                                                                      \
        if (when) store;                                                                                               \
    }
#define STORE(name, store) STORES(name, true, store)

// ---- linear memory ----
FETCH(linear_bytes, tex1Dfetch<unsigned char>(t, B * 32 + L))
FETCH(linear_shorts, tex1Dfetch<unsigned short>(t, B * 32 + L))
FETCH(linear_four_bytes, tex1Dfetch<uchar4>(t, B * 32 + L))
FETCH(linear_four_shorts, tex1Dfetch<ushort4>(t, B * 32 + L))
FETCH(linear_pairs, tex1Dfetch<float2>(t, B * 32 + L))
FETCH(linear_fours, tex1Dfetch<float4>(t, B * 32 + L))
FETCH(linear_fours_apart, tex1Dfetch<float4>(t, (B * 32 + L) * 4))
FETCH(linear_shifted, tex1Dfetch<float>(t, B * 32 + L + 3))
FETCH(linear_back, tex1Dfetch<float>(t, B * 32 + 31 - L))
FETCH(linear_across, tex1Dfetch<float>(t, B * 512 + L % 8 * 8 + L / 8))
FETCH(linear_across_quads, tex1Dfetch<float>(t, B * 512 + L % 4 * 8 + L / 4))
FETCH(linear_two_apart, tex1Dfetch<float>(t, (B * 32 + L) * 2))
FETCH(linear_outside, tex1Dfetch<float>(t, L < 16 ? L : -L))
FETCHES(linear_half, L < 16, tex1Dfetch<float>(t, B * 32 + L))
FETCHES(linear_odd, L % 2, tex1Dfetch<float>(t, B * 32 + L))
FETCHES(linear_lane, L == 9, tex1Dfetch<float>(t, B * 32 + L))
FETCHES(linear_eighths, L % 8 == 3, tex1Dfetch<float>(t, B * 32 + L))
FETCHES(linear_five, L < 5, tex1Dfetch<float>(t, B * 32 + L))

// ---- rows of memory with a pitch ----
FETCH(pitch_row, tex2D<float>(t, L + 0.5f, B + 0.5f))
FETCH(pitch_column, tex2D<float>(t, B + 0.5f, L + 0.5f))
FETCH(pitch_square, tex2D<float>(t, X + 0.5f, 4 * B + Y + 0.5f))
FETCH(pitch_between, tex2D<float>(t, L + 1.0f, B + 1.0f))
FETCH(pitch_fours, tex2D<float4>(t, L + 0.5f, B + 0.5f))
FETCH(pitch_bytes, tex2D<unsigned char>(t, L + 0.5f, B + 0.5f))

// ---- arrays of two dimensions ----
FETCH(plane_bytes_row, tex2D<unsigned char>(t, L + 0.5f, B + 0.5f))
FETCH(plane_bytes_column, tex2D<unsigned char>(t, B + 0.5f, L + 0.5f))
FETCH(plane_shorts_row, tex2D<unsigned short>(t, L + 0.5f, B + 0.5f))
FETCH(plane_shorts_apart, tex2D<unsigned short>(t, 2 * L + 0.5f, B + 0.5f))
FETCH(plane_four_bytes_row, tex2D<uchar4>(t, L + 0.5f, B + 0.5f))
FETCH(plane_pairs_row, tex2D<float2>(t, L + 0.5f, B + 0.5f))
FETCH(plane_pairs_column, tex2D<float2>(t, B + 0.5f, L + 0.5f))
FETCH(plane_fours_row, tex2D<float4>(t, L + 0.5f, B + 0.5f))
FETCH(plane_fours_column, tex2D<float4>(t, B + 0.5f, L + 0.5f))
FETCH(plane_fours_between, tex2D<float4>(t, L + 1.0f, B + 1.0f))
FETCH(plane_apart, tex2D<float>(t, 4 * L + 0.5f, B + 0.5f))
FETCH(plane_spread, tex2D<float>(t, AT * 4 % 128 + 0.5f, L * 53 % 128 + 0.5f))
FETCH(plane_one, tex2D<float>(t, 5.5f, 7.5f))
FETCH(plane_pixels, tex2D<float>(t, L / 4 * 2 + L % 2 + 0.5f, L / 2 % 2 + 2 * B + 0.5f))
FETCH(plane_across, tex2D<float>(t, L % 4 * 4 + L / 4 % 4 + 0.5f, 2 * B + L / 16 + 0.5f))
FETCH(plane_outside, tex2D<float>(t, L - 15.5f, B + 0.5f))
FETCH(plane_exactly, tex2D<float>(t, L + 0.5f, B + 0.5f))
FETCH(plane_between_columns, tex2D<float>(t, L + 1.0f, B + 0.5f))
FETCH(plane_between_rows, tex2D<float>(t, L + 0.5f, B + 1.0f))
FETCH(plane_border, tex2D<float>(t, L - 15.0f, B + 0.5f))
FETCH(plane_gather, tex2Dgather<float4>(t, L + 1.0f, B + 1.0f))
FETCH(plane_gather_apart, tex2Dgather<float4>(t, 4 * L + 2.0f, 2 * B + 1.0f))
FETCHES(plane_half, L < 16, tex2D<float>(t, L + 0.5f, B + 0.5f))
FETCHES(plane_odd, L % 2, tex2D<float>(t, L + 0.5f, B + 0.5f))
FETCHES(plane_lane, L == 9, tex2D<float>(t, L + 0.5f, B + 0.5f))
FETCHES(plane_five, L < 5, tex2D<float>(t, L + 0.5f, B + 0.5f))

// ---- other arrays ----
FETCH(line_row, tex1D<float>(t, B * 32 + L + 0.5f))
FETCH(line_apart, tex1D<float>(t, (B * 32 + L) * 4 + 0.5f))
FETCH(line_far_apart, tex1D<float>(t, (B * 32 + L) * 8 + 0.5f))
FETCH(line_between, tex1D<float>(t, B * 32 + L + 1.0f))
FETCH(layers_row, tex2DLayered<float>(t, L + 0.5f, B + 0.5f, 3))
FETCH(layers_column, tex2DLayered<float>(t, B + 0.5f, L + 0.5f, 3))
FETCH(layers_deep, tex2DLayered<float>(t, B + 0.5f, 0.5f, L % DEPTH))
FETCH(lines_row, tex1DLayered<float>(t, L + 0.5f, B))
FETCH(lines_deep, tex1DLayered<float>(t, B + 0.5f, L % DEPTH))
FETCH(volume_row, tex3D<float>(t, L + 0.5f, B + 0.5f, 3.5f))
FETCH(volume_column, tex3D<float>(t, B + 0.5f, L + 0.5f, 3.5f))
FETCH(volume_deep, tex3D<float>(t, B + 0.5f, 0.5f, L % DEPTH + 0.5f))
FETCH(volume_between, tex3D<float>(t, L + 1.0f, B + 1.0f, 4.0f))
FETCH(volume_bytes_row, tex3D<unsigned char>(t, L + 0.5f, B + 0.5f, 3.5f))
FETCH(volume_fours_deep, tex3D<float4>(t, B + 0.5f, 0.5f, L % DEPTH + 0.5f))
FETCH(cube_row, texCubemap<float>(t, (L - 15.5f) / 64, (B + 0.5f) / 64, 1.0f))
FETCH(levels_first, tex2DLod<float>(t, (L + 0.5f) / WIDTH, (B + 0.5f) / HEIGHT, 0.0f))
FETCH(levels_second, tex2DLod<float>(t, (2 * L + 1.0f) / WIDTH, (2 * B + 1.0f) / HEIGHT, 1.0f))
FETCH(levels_between, tex2DLod<float>(t, (2 * L + 1.0f) / WIDTH, (2 * B + 1.0f) / HEIGHT, 0.5f))
FETCH(levels_of_sides, tex2DGrad<float>(t, (2 * L + 1.0f) / WIDTH, (2 * B + 1.0f) / HEIGHT,
                                        make_float2(2.0f / WIDTH, 0), make_float2(0, 2.0f / HEIGHT)))

// ---- filters of more bytes: formats, rows, volumes, levels ----
FETCH(wide_four_bytes, tex2D<float4>(t, L + 1.0f, B + 1.0f))
FETCH(wide_four_shorts, tex2D<float4>(t, L + 1.0f, B + 1.0f))
FETCH(wide_pairs, tex2D<float2>(t, L + 1.0f, B + 1.0f))
FETCH(wide_fours_exactly, tex2D<float4>(t, L + 0.5f, B + 0.5f))
FETCH(wide_fours_columns, tex2D<float4>(t, L + 1.0f, B + 0.5f))
FETCH(wide_fours_rows, tex2D<float4>(t, L + 0.5f, B + 1.0f))
FETCH(wide_fours_one, tex2D<float4>(t, 5.0f, 7.0f))
FETCH(wide_fours_spread, tex2D<float4>(t, AT * 4 % 127 + 1.0f, L * 53 % 127 + 1.0f))
FETCHES(wide_fours_five, L < 5, tex2D<float4>(t, L + 1.0f, B + 1.0f))
FETCH(wide_gather, tex2Dgather<float4>(t, L + 1.0f, B + 1.0f))
FETCH(wide_pitch_fours, tex2D<float4>(t, L + 1.0f, B + 1.0f))
FETCH(wide_line_fours, tex1D<float4>(t, B * 32 + L + 1.0f))
FETCH(deep_exactly, tex3D<float>(t, L + 0.5f, B + 0.5f, 3.5f))
FETCH(deep_slices, tex3D<float>(t, L + 0.5f, B + 0.5f, 4.0f))
FETCH(deep_columns, tex3D<float>(t, L + 1.0f, B + 0.5f, 3.5f))
FETCH(deep_rows, tex3D<float>(t, L + 0.5f, B + 1.0f, 3.5f))
FETCH(deep_one, tex3D<float>(t, 5.0f, 7.0f, 4.0f))
FETCH(deep_spread, tex3D<float>(t, AT * 4 % 127 + 1.0f, L * 53 % 127 + 1.0f, L * 3 % 7 + 1.0f))
FETCH(deep_apart, tex3D<float>(t, 4 * L + 2.0f, 2 * B + 1.0f, 4.0f))
FETCH(deep_along, tex3D<float>(t, B + 1.0f, 1.0f, L % 7 + 1.0f))
FETCHES(deep_pairs, L % 4 < 2, tex3D<float>(t, L + 1.0f, B + 1.0f, 4.0f))
FETCH(deep_fours, tex3D<float4>(t, L + 1.0f, B + 1.0f, 4.0f))
FETCH(deep_bytes, tex3D<float>(t, L + 1.0f, B + 1.0f, 4.0f))
FETCH(levels_of_both, tex2DLod<float>(t, (2 * L + 2.0f) / WIDTH, (2 * B + 2.0f) / HEIGHT, 0.5f))
FETCH(levels_by_lane, tex2DLod<float>(t, (2 * L + 1.0f) / WIDTH, (2 * B + 1.0f) / HEIGHT, L % 4 * 0.25f))
FETCH(levels_nearest, tex2DLod<float>(t, (2 * L + 1.0f) / WIDTH, (2 * B + 1.0f) / HEIGHT, L % 4 * 0.25f))
FETCH(levels_above, tex2DLod<float>(t, (2 * L + 1.0f) / WIDTH, (2 * B + 1.0f) / HEIGHT, 1 + L % 4 * 0.25f))

// ---- surfaces ----
LOAD(load_bytes, surf2Dread<unsigned char>(t, L, B))
LOAD(load_shorts, surf2Dread<unsigned short>(t, L * 2, B))
LOAD(load_words, surf2Dread<float>(t, L * 4, B))
LOAD(load_pairs, surf2Dread<float2>(t, L * 8, B))
LOAD(load_fours, surf2Dread<float4>(t, L * 16, B))
LOAD(load_column, surf2Dread<float>(t, B * 4, L))
LOAD(load_square, surf2Dread<float>(t, X * 4, Y + 4 * B))
LOAD(load_apart, surf2Dread<float>(t, L * 16, B))
LOAD(load_one, surf2Dread<float>(t, 16, 3))
LOAD(load_outside, surf2Dread<float>(t, (L - 16) * 4, B, cudaBoundaryModeZero))
LOAD(load_line, surf1Dread<float>(t, L * 4 + B * 128))
LOAD(load_line_apart, surf1Dread<float>(t, L * 16 + B * 512))
LOAD(load_volume_deep, surf3Dread<float>(t, B * 4, 0, L % DEPTH))
LOAD(load_lines, surf1DLayeredread<float>(t, L * 4, B))
LOAD(load_layers_row, surf2DLayeredread<float>(t, L * 4, B, 3))
STORE(store_bytes, surf2Dwrite<unsigned char>(L, t, L, B))
STORE(store_shorts, surf2Dwrite<unsigned short>(L, t, L * 2, B))
STORE(store_words, surf2Dwrite<float>(L, t, L * 4, B))
STORE(store_pairs, surf2Dwrite<float2>(make_float2(L, L), t, L * 8, B))
STORE(store_fours, surf2Dwrite<float4>(make_float4(L, L, L, L), t, L * 16, B))
STORE(store_column, surf2Dwrite<float>(L, t, B * 4, L))
STORE(store_square, surf2Dwrite<float>(L, t, X * 4, Y + 4 * B))
STORE(store_apart, surf2Dwrite<float>(L, t, L * 16, B))
STORE(store_one, surf2Dwrite<float>(L, t, 16, 3))
STORE(store_outside, surf2Dwrite<float>(L, t, (L - 16) * 4, B, cudaBoundaryModeZero))
STORE(store_volume_deep, surf3Dwrite<float>(L, t, B * 4, 0, L % DEPTH))
STORES(store_half, L < 16, surf2Dwrite<float>(L, t, L * 4, B))
STORES(store_odd, L % 2, surf2Dwrite<float>(L, t, L * 4, B))
STORES(store_lane, L == 9, surf2Dwrite<float>(L, t, L * 4, B))
// Reductions by integers, as CUDA has no function for them.
#define ADD(name, x, y)                                                                                                \
    STORE(name, asm volatile("sured.b.2d.add.u32.clamp [%0, {%1, %2}], %3;" ::"l"(t), "r"(x), "r"(y), "r"(L)           \
                             : "memory"))
ADD(add_row, L * 4, B)
ADD(add_column, B * 4, L)
ADD(add_one, 16, 3)
ADD(add_pairs, L / 2 * 4, B)
ADD(add_uneven, L % 8 < 5 ? 0 : L % 8 * 4, B)
ADD(add_apart, L % 2 * 64, B)

static char *in, *out;

static cudaTextureObject_t texture(cudaResourceDesc resource, bool linear = false, bool normalized = false,
                                   cudaTextureAddressMode mode = cudaAddressModeClamp,
                                   cudaTextureReadMode read = cudaReadModeElementType) {
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.readMode = linear ? read : cudaReadModeElementType;
    how.normalizedCoords = normalized;
    if (normalized) how.mipmapFilterMode = how.filterMode, how.maxMipmapLevelClamp = 8;
    cudaTextureObject_t made;
    OK(cudaCreateTextureObject(&made, &resource, &how, nullptr));
    return made;
}

static cudaSurfaceObject_t surface(cudaResourceDesc resource) {
    cudaSurfaceObject_t made;
    OK(cudaCreateSurfaceObject(&made, &resource));
    return made;
}

template <typename T> static cudaResourceDesc linear() {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = in, resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = BYTES;
    return resource;
}

template <typename T> static cudaResourceDesc pitch() {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = in, resource.res.pitch2D.desc = cudaCreateChannelDesc<T>();
    resource.res.pitch2D.width = WIDTH, resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = WIDTH * 16;
    return resource;
}

template <typename T>
static cudaResourceDesc array(int width, int height, int depth, int more = cudaArraySurfaceLoadStore) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    OK(cudaMalloc3DArray(&resource.res.array.array, &format, make_cudaExtent(width, height, depth), more));
    return resource;
}

static cudaResourceDesc levels() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    OK(cudaMallocMipmappedArray(&resource.res.mipmap.mipmap, &format, make_cudaExtent(WIDTH, HEIGHT, 0), 4));
    return resource;
}

int main() {
    OK(cudaMalloc(&in, BYTES));
    OK(cudaMalloc(&out, BYTES));
    OK(cudaMemset(in, 0, BYTES));
    float *sums = (float *)out;
#define RUN(texture, ...)                                                                                              \
    for (auto kernel : {__VA_ARGS__}) kernel<<<BLOCKS, 32>>>(texture, sums)
#define WRITE(surface, ...)                                                                                            \
    for (auto kernel : {__VA_ARGS__}) kernel<<<BLOCKS, 32>>>(surface)
    using byte = unsigned char;
    using two = unsigned short;
    RUN(texture(linear<byte>()), linear_bytes);
    RUN(texture(linear<two>()), linear_shorts);
    RUN(texture(linear<uchar4>()), linear_four_bytes);
    RUN(texture(linear<ushort4>()), linear_four_shorts);
    RUN(texture(linear<float2>()), linear_pairs);
    RUN(texture(linear<float4>()), linear_fours, linear_fours_apart);
    RUN(texture(linear<float>()), linear_shifted, linear_back, linear_across, linear_across_quads, linear_two_apart,
        linear_outside, linear_half, linear_odd, linear_lane, linear_eighths, linear_five);
    RUN(texture(pitch<float>()), pitch_row, pitch_column, pitch_square);
    RUN(texture(pitch<float>(), true), pitch_between);
    RUN(texture(pitch<float4>()), pitch_fours);
    RUN(texture(pitch<byte>()), pitch_bytes);
    auto bytes = array<byte>(WIDTH, HEIGHT, 0), shorts = array<two>(WIDTH, HEIGHT, 0);
    auto four_bytes = array<uchar4>(WIDTH, HEIGHT, 0), pairs = array<float2>(WIDTH, HEIGHT, 0);
    auto fours = array<float4>(WIDTH, HEIGHT, 0), reals = array<float>(WIDTH, HEIGHT, 0);
    RUN(texture(bytes), plane_bytes_row, plane_bytes_column);
    RUN(texture(shorts), plane_shorts_row, plane_shorts_apart);
    RUN(texture(four_bytes), plane_four_bytes_row);
    RUN(texture(pairs), plane_pairs_row, plane_pairs_column);
    RUN(texture(fours), plane_fours_row, plane_fours_column);
    RUN(texture(fours, true), plane_fours_between);
    RUN(texture(reals), plane_apart, plane_spread, plane_one, plane_pixels, plane_across, plane_outside, plane_half,
        plane_odd, plane_lane, plane_five);
    RUN(texture(reals, true), plane_exactly, plane_between_columns, plane_between_rows);
    RUN(texture(reals, true, false, cudaAddressModeBorder), plane_border);
    RUN(texture(array<float>(WIDTH, HEIGHT, 0, cudaArrayTextureGather)), plane_gather, plane_gather_apart);
    auto line = array<float>(4096, 0, 0);
    RUN(texture(line), line_row, line_apart, line_far_apart);
    RUN(texture(line, true), line_between);
    RUN(texture(array<float>(WIDTH, HEIGHT, DEPTH, cudaArrayLayered)), layers_row, layers_column, layers_deep);
    RUN(texture(array<float>(WIDTH, 0, DEPTH, cudaArrayLayered)), lines_row, lines_deep);
    auto volume = array<float>(WIDTH, HEIGHT, DEPTH);
    RUN(texture(volume), volume_row, volume_column, volume_deep);
    RUN(texture(volume, true), volume_between);
    RUN(texture(array<byte>(WIDTH, HEIGHT, DEPTH)), volume_bytes_row);
    RUN(texture(array<float4>(WIDTH, HEIGHT, DEPTH)), volume_fours_deep);
    RUN(texture(array<float>(64, 64, 6, cudaArrayCubemap), false, true), cube_row);
    cudaResourceDesc mipmap = levels();
    RUN(texture(mipmap, false, true), levels_first, levels_second);
    RUN(texture(mipmap, true, true), levels_between, levels_of_sides);
    const auto clamp = cudaAddressModeClamp;
    const auto fraction = cudaReadModeNormalizedFloat;
    RUN(texture(four_bytes, true, false, clamp, fraction), wide_four_bytes);
    RUN(texture(array<ushort4>(WIDTH, HEIGHT, 0), true, false, clamp, fraction), wide_four_shorts);
    RUN(texture(pairs, true), wide_pairs);
    RUN(texture(fours, true), wide_fours_exactly, wide_fours_columns, wide_fours_rows, wide_fours_one, wide_fours_spread,
        wide_fours_five);
    RUN(texture(array<float4>(WIDTH, HEIGHT, 0, cudaArrayTextureGather), true), wide_gather);
    RUN(texture(pitch<float4>(), true), wide_pitch_fours);
    RUN(texture(array<float4>(4096, 0, 0), true), wide_line_fours);
    RUN(texture(volume, true), deep_exactly, deep_slices, deep_columns, deep_rows, deep_one, deep_spread, deep_apart,
        deep_along, deep_pairs);
    RUN(texture(array<float4>(WIDTH, HEIGHT, DEPTH), true), deep_fours);
    RUN(texture(array<byte>(WIDTH, HEIGHT, DEPTH), true, false, clamp, fraction), deep_bytes);
    RUN(texture(mipmap, true, true), levels_of_both, levels_by_lane, levels_above);
    RUN(texture(mipmap, false, true), levels_nearest);
    const int layered = cudaArrayLayered | cudaArraySurfaceLoadStore;
    RUN(surface(array<float>(WIDTH, HEIGHT, DEPTH, layered)), load_layers_row);
    RUN(surface(array<float>(WIDTH, 0, DEPTH, layered)), load_lines);
    RUN(surface(bytes), load_bytes);
    RUN(surface(shorts), load_shorts);
    RUN(surface(reals), load_words, load_column, load_square, load_apart, load_one, load_outside);
    RUN(surface(pairs), load_pairs);
    RUN(surface(fours), load_fours);
    RUN(surface(line), load_line, load_line_apart);
    RUN(surface(volume), load_volume_deep);
    WRITE(surface(bytes), store_bytes);
    WRITE(surface(shorts), store_shorts);
    WRITE(surface(reals), store_words, store_column, store_square, store_apart, store_one, store_outside, store_half,
          store_odd, store_lane);
    WRITE(surface(pairs), store_pairs);
    WRITE(surface(fours), store_fours);
    WRITE(surface(volume), store_volume_deep);
    WRITE(surface(array<unsigned>(WIDTH, HEIGHT, 0)), add_row, add_column, add_one, add_pairs,
          add_uneven, add_apart);
    OK(cudaDeviceSynchronize());
    puts("counted");
}
