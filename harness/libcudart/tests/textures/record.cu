// Prints what fetches give, bit by bit: a line for each case, with its name and the words of its fetches. `compare.sh`
// runs it on a GPU and on the emulated device and counts the words that differ.
#include "../programs/common.cuh"
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

const int COUNT = 256;

enum Kind { LINE, PLANE, VOLUME, CUBE, LAYER, LEVEL, SIDES, SLOPES, GATHER };

template <class T>
__global__ void fetch(Kind kind, cudaTextureObject_t t, const float4 *at, uint4 *out) {
    int i = threadIdx.x;
    float4 p = at[i];
    T v;
    switch (kind) {
    case LINE: v = tex1D<T>(t, p.x); break;
    case PLANE: v = tex2D<T>(t, p.x, p.y); break;
    case VOLUME: v = tex3D<T>(t, p.x, p.y, p.z); break;
    case CUBE: v = texCubemap<T>(t, p.x, p.y, p.z); break;
    case LAYER: v = tex2DLayered<T>(t, p.x, p.y, __float_as_int(p.z)); break;
    case LEVEL: v = tex2DLod<T>(t, p.x, p.y, p.z); break;
    case SIDES: v = tex2DGrad<T>(t, p.x, p.y, make_float2(p.z, p.w), make_float2(p.w, p.z)); break;
    case SLOPES: v = tex2DGrad<T>(t, 0.3f, 0.6f, make_float2(p.x, p.y), make_float2(p.z, p.w)); break;
    case GATHER: v = tex2Dgather<T>(t, p.x, p.y, 0); break;
    }
    memcpy(&out[i], &v, 16);
}

unsigned seed = 12345;

unsigned any() {
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

// Somewhere between two ends.
float between(float low, float high) { return low + (high - low) * (any() / 16777216.0f); }

float bits(unsigned word) {
    float value;
    memcpy(&value, &word, 4);
    return value;
}

void run(const std::string &name, Kind kind, bool whole, cudaTextureObject_t t, const std::vector<float4> &at) {
    if (!t) {
        printf("%s: refused\n", name.c_str());
        return;
    }
    static float4 *from;
    static uint4 *to;
    if (!from) {
        OK(cudaMallocManaged(&from, COUNT * sizeof(float4)));
        OK(cudaMallocManaged(&to, COUNT * sizeof(uint4)));
    }
    memcpy(from, at.data(), at.size() * sizeof(float4));
    if (whole)
        fetch<uint4><<<1, (int)at.size()>>>(kind, t, from, to);
    else
        fetch<float4><<<1, (int)at.size()>>>(kind, t, from, to);
    OK(cudaDeviceSynchronize());
    printf("%s:", name.c_str());
    for (size_t i = 0; i < at.size(); i++) printf(" %08x.%08x.%08x.%08x", to[i].x, to[i].y, to[i].z, to[i].w);
    printf("\n");
}

cudaArray_t array_of(cudaChannelFormatDesc channel, cudaExtent extent, unsigned flags, const void *data) {
    cudaArray_t array;
    OK(cudaMalloc3DArray(&array, &channel, extent, flags));
    size_t rows = extent.height ? extent.height : 1, slices = extent.depth ? extent.depth : 1;
    size_t bytes = (channel.x + channel.y + channel.z + channel.w) / 8 * extent.width;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)data, bytes, extent.width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, rows, slices);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    return array;
}

// A texture of a resource; 0 if the runtime refuses it.
cudaTextureObject_t made(const cudaResourceDesc &resource, const cudaTextureDesc &desc) {
    cudaTextureObject_t texture;
    return CODE(cudaCreateTextureObject(&texture, &resource, &desc, nullptr)) == cudaSuccess ? texture : 0;
}

cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &desc) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return made(resource, desc);
}

void done(cudaTextureObject_t texture) {
    if (texture) OK(cudaDestroyTextureObject(texture));
}

const char *modes[] = {"wrap", "clamp", "mirror", "border"};

std::vector<float> texels(size_t count) {
    std::vector<float> all(count);
    for (float &texel : all) texel = between(-100, 100);
    return all;
}

// Coordinates in a dimension of n texels: at edges, at the ties between weights, and anywhere.
float coordinate(int i, int n, bool normalized) {
    float u;
    if (i < 32)
        u = i * 0.5f - 4;
    else if (i < 96)
        u = 1.5f + (i - 32) / 512.0f;
    else if (i < 112)
        u = bits(0x40200000 + i - 104);
    else
        u = between(-n, 2 * n);
    return normalized ? u / n : u;
}

std::vector<float4> places(int nx, int ny, int nz, bool normalized) {
    std::vector<float4> at(COUNT);
    for (int i = 0; i < COUNT; i++) {
        int j = (i * 37) % COUNT, k = (i * 101) % COUNT;
        at[i] = make_float4(coordinate(i, nx, normalized), coordinate(j, ny, normalized),
                            coordinate(k, nz, normalized), 0);
    }
    return at;
}

void dimensions() {
    const int extents[3] = {7, 5, 6};
    for (int count = 1; count <= 3; count++) {
        cudaExtent extent = make_cudaExtent(extents[0], count > 1 ? extents[1] : 0, count > 2 ? extents[2] : 0);
        std::vector<float> data = texels(7 * 5 * 6);
        cudaArray_t array = array_of(cudaCreateChannelDesc<float>(), extent, 0, data.data());
        for (int mode = 0; mode < 4; mode++)
            for (int how = 0; how < 4; how++) {
                cudaTextureDesc desc = {};
                for (auto &address : desc.addressMode) address = (cudaTextureAddressMode)mode;
                desc.filterMode = how & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
                desc.normalizedCoords = how >> 1;
                for (int c = 0; c < 4; c++) desc.borderColor[c] = c + 0.3f;
                cudaTextureObject_t t = texture_of(array, desc);
                std::string name = std::to_string(count) + "d " + modes[mode] + (how & 1 ? " linear" : " point") +
                                   (how >> 1 ? " normalized" : "");
                run(name, (Kind)(LINE + count - 1), false, t, places(7, 5, 6, how >> 1));
                done(t);
            }
        OK(cudaFreeArray(array));
    }
}

// A step from 0 to 1, at coordinates finer than weights.
void weights() {
    const float step[4] = {0, 0, 1, 1};
    cudaArray_t array = array_of(cudaCreateChannelDesc<float>(), make_cudaExtent(4, 0, 0), 0, step);
    for (int normalized = 0; normalized < 2; normalized++) {
        cudaTextureDesc desc = {};
        desc.addressMode[0] = cudaAddressModeClamp;
        desc.filterMode = cudaFilterModeLinear;
        desc.normalizedCoords = normalized;
        cudaTextureObject_t t = texture_of(array, desc);
        std::vector<float4> at(COUNT);
        for (int i = 0; i < COUNT; i++) at[i].x = (1.5f + i / 4096.0f + i / 64 * 0.25f) / (normalized ? 4 : 1);
        run(std::string("weights") + (normalized ? " normalized" : ""), LINE, false, t, at);
        done(t);
    }
    OK(cudaFreeArray(array));
}

void formats() {
    std::vector<unsigned char> data(8 * 4 * 16);
    for (unsigned char &byte : data) byte = any();
    struct {
        const char *name;
        cudaChannelFormatDesc channel;
    } all[] = {
        {"u8", cudaCreateChannelDesc<unsigned char>()}, {"u8x2", cudaCreateChannelDesc<uchar2>()},
        {"u8x4", cudaCreateChannelDesc<uchar4>()},      {"s8x4", cudaCreateChannelDesc<char4>()},
        {"u16", cudaCreateChannelDesc<unsigned short>()}, {"u16x4", cudaCreateChannelDesc<ushort4>()},
        {"s16x2", cudaCreateChannelDesc<short2>()},     {"s32", cudaCreateChannelDesc<int>()},
        {"u32x4", cudaCreateChannelDesc<uint4>()},      {"f16x4", cudaCreateChannelDescHalf4()},
        {"f16", cudaCreateChannelDescHalf()},           {"f32x2", cudaCreateChannelDesc<float2>()},
        {"f32x4", cudaCreateChannelDesc<float4>()},
    };
    for (const auto &format : all) {
        cudaArray_t array = array_of(format.channel, make_cudaExtent(8, 4, 0), 0, data.data());
        bool real = format.channel.f == cudaChannelFormatKindFloat, narrow = format.channel.x < 32;
        for (int way = 0; way < 4; way++) {
            bool fraction = way > 0 && !real, linear = way > 1, srgb = way > 2;
            if (way > 0 && !real && !narrow || way == 1 && real) continue;
            if (srgb && (real || format.channel.x > 8 || format.channel.f != cudaChannelFormatKindUnsigned)) continue;
            cudaTextureDesc desc = {};
            desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
            desc.readMode = fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
            desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
            desc.sRGB = srgb;
            cudaTextureObject_t t = texture_of(array, desc);
            std::string name = std::string(format.name) + (fraction ? " fraction" : "") + (linear ? " linear" : "") +
                               (srgb ? " srgb" : "");
            run(name, PLANE, !real && !fraction, t, places(8, 4, 1, false));
            done(t);
        }
        OK(cudaFreeArray(array));
    }
}

// Numbers that are not finite or not normal, as texels and as coordinates.
void special() {
    const unsigned words[8] = {0x7f800000, 0x3f800000, 0xff800000, 0x00000001, 0x7fc12345, 0x807fffff, 0x7f7fffff, 0};
    cudaArray_t array = array_of(cudaCreateChannelDesc<float>(), make_cudaExtent(8, 0, 0), 0, words);
    for (int how = 0; how < 4; how++) {
        cudaTextureDesc desc = {};
        desc.addressMode[0] = how >> 1 ? cudaAddressModeWrap : cudaAddressModeClamp;
        desc.normalizedCoords = how >> 1;
        desc.filterMode = how & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
        cudaTextureObject_t t = texture_of(array, desc);
        std::vector<float4> at(COUNT);
        const unsigned coordinates[8] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x4f000000,
                                         0x00000001, 0x80000000};
        for (int i = 0; i < COUNT; i++) at[i].x = i < 8 ? bits(coordinates[i]) : (i - 8) / 24.0f / (how >> 1 ? 8 : 1);
        run(std::string("special") + (how & 1 ? " linear" : " point") + (how >> 1 ? " wrap" : " clamp"), LINE, false, t,
            at);
        done(t);
    }
    OK(cudaFreeArray(array));
}

void cubes() {
    std::vector<float> data = texels(4 * 4 * 6);
    cudaArray_t array = array_of(cudaCreateChannelDesc<float>(), make_cudaExtent(4, 4, 6), cudaArrayCubemap, data.data());
    for (int how = 0; how < 3; how++) {
        cudaTextureDesc desc = {};
        for (auto &mode : desc.addressMode) mode = cudaAddressModeClamp;
        desc.normalizedCoords = 1;
        desc.filterMode = how > 0 ? cudaFilterModeLinear : cudaFilterModePoint;
        desc.seamlessCubemap = how == 2;
        cudaTextureObject_t t = texture_of(array, desc);
        std::vector<float4> at(COUNT);
        for (int i = 0; i < COUNT; i++) {
            at[i] = make_float4(between(-1, 1), between(-1, 1), between(-1, 1), 0);
            // Components of one size, zeros, and places near edges and corners.
            if (i < 27) at[i] = make_float4(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1, 0);
            if (i >= 27 && i < 90) at[i] = make_float4(i % 2 ? 1 : -1, 0.99f - i / 4 % 5 * 0.1f, i % 4 / 2 ? 0.98f : -0.97f, 0);
        }
        run(std::string("cube") + (how == 0 ? " point" : how == 1 ? " linear" : " seamless"), CUBE, false, t, at);
        done(t);
    }
    OK(cudaFreeArray(array));
}

void layers() {
    std::vector<float> data = texels(4 * 4 * 5);
    cudaArray_t array = array_of(cudaCreateChannelDesc<float>(), make_cudaExtent(4, 4, 5), cudaArrayLayered, data.data());
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t = texture_of(array, desc);
    std::vector<float4> at(COUNT);
    const int numbers[8] = {-1, -2, 4, 5, 2047, 65535, 65536, 0x7fffffff};
    for (int i = 0; i < COUNT; i++) {
        int layer = i < 8 ? numbers[i] : i % 7;
        at[i] = make_float4(between(0, 4), between(0, 4), 0, 0);
        memcpy(&at[i].z, &layer, 4);
    }
    run("layers", LAYER, false, t, at);
    done(t);
    OK(cudaFreeArray(array));
}

const int SIDE = 16, LEVELS = 5;

// All levels of an array whose texels a function gives: by the level, and the texels of its side.
template <class F>
cudaMipmappedArray_t mipmapped(F fill) {
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t all;
    OK(cudaMallocMipmappedArray(&all, &channel, make_cudaExtent(SIDE, SIDE, 0), LEVELS));
    for (int level = 0; level < LEVELS; level++) {
        cudaArray_t array;
        OK(cudaGetMipmappedArrayLevel(&array, all, level));
        int m = SIDE >> level;
        std::vector<float> data = fill(level, m);
        OK(cudaMemcpy2DToArray(array, 0, 0, data.data(), m * 4, m * 4, m, cudaMemcpyHostToDevice));
    }
    return all;
}

void levels() {
    cudaMipmappedArray_t all = mipmapped([](int, int m) { return texels(m * m); });
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = all;
    for (int how = 0; how < 8; how++) {
        cudaTextureDesc desc = {};
        for (auto &mode : desc.addressMode) mode = cudaAddressModeWrap;
        desc.normalizedCoords = 1;
        desc.filterMode = how & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
        desc.mipmapFilterMode = how & 2 ? cudaFilterModeLinear : cudaFilterModePoint;
        desc.mipmapLevelBias = how & 4 ? 0.3f : 0;
        desc.minMipmapLevelClamp = how & 4 ? 0.7f : 0;
        desc.maxMipmapLevelClamp = how & 4 ? 3.2f : LEVELS - 1;
        cudaTextureObject_t t = made(resource, desc);
        std::vector<float4> at(COUNT), sides(COUNT);
        for (int i = 0; i < COUNT; i++) {
            float level = i < 64 ? 1 + i / 1024.0f : i < 80 ? (i - 66) * 0.5f : between(-1, 6);
            at[i] = make_float4(between(-1, 2), between(-1, 2), level, 0);
            sides[i] = make_float4(between(-1, 2), between(-1, 2), exp2f(between(-1, 5)) / SIDE, 0);
            if (i % 2) sides[i].w = between(0, 0.2f);
        }
        std::string name = std::string(how & 1 ? " linear" : " point") + (how & 2 ? " between" : " nearest") +
                           (how & 4 ? " bias" : "");
        run("level" + name, LEVEL, false, t, at);
        run("sides" + name, SIDES, false, t, sides);
        run("base" + name, PLANE, false, t, at);
        done(t);
    }
    OK(cudaFreeMipmappedArray(all));
}

void gathers() {
    std::vector<float> data = texels(7 * 5);
    cudaArray_t array = array_of(cudaCreateChannelDesc<float>(), make_cudaExtent(7, 5, 0), cudaArrayTextureGather, data.data());
    for (int normalized = 0; normalized < 2; normalized++) {
        cudaTextureDesc desc = {};
        desc.addressMode[0] = desc.addressMode[1] = normalized ? cudaAddressModeWrap : cudaAddressModeClamp;
        desc.normalizedCoords = normalized;
        cudaTextureObject_t t = texture_of(array, desc);
        run(std::string("gather") + (normalized ? " normalized" : ""), GATHER, false, t, places(7, 5, 1, normalized));
        done(t);
    }
    OK(cudaFreeArray(array));
}

// The colour of every code in the sRGB space.
void codes() {
    unsigned char all[COUNT];
    for (int i = 0; i < COUNT; i++) all[i] = i;
    cudaArray_t array = array_of(cudaCreateChannelDesc<unsigned char>(), make_cudaExtent(COUNT, 0, 0), 0, all);
    for (int linear = 0; linear < 2; linear++) {
        cudaTextureDesc desc = {};
        desc.addressMode[0] = cudaAddressModeClamp;
        desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        desc.readMode = cudaReadModeNormalizedFloat;
        desc.sRGB = 1;
        cudaTextureObject_t t = texture_of(array, desc);
        std::vector<float4> at(COUNT);
        for (int i = 0; i < COUNT; i++) at[i].x = i + (linear ? 0.6f : 0.5f);
        run(std::string("codes") + (linear ? " linear" : " point"), LINE, false, t, at);
        done(t);
    }
    OK(cudaFreeArray(array));
}

// The levels of footprints: each level's texels are its number.
void slopes() {
    cudaMipmappedArray_t all = mipmapped([](int level, int m) { return std::vector<float>(m * m, level); });
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = all;
    const char *ways[] = {"square", "square end", "turned", "upright", "one", "parallel", "equal", "any"};
    for (int way = 0; way < 8; way++)
        for (int anisotropy = 1; anisotropy <= (way == 7 ? 16 : 1); anisotropy *= 4) {
            cudaTextureDesc desc = {};
            for (auto &mode : desc.addressMode) mode = cudaAddressModeWrap;
            desc.normalizedCoords = 1;
            desc.filterMode = desc.mipmapFilterMode = cudaFilterModeLinear;
            desc.maxMipmapLevelClamp = LEVELS - 1;
            desc.maxAnisotropy = anisotropy;
            cudaTextureObject_t t = made(resource, desc);
            std::vector<float4> at(COUNT);
            for (int i = 0; i < COUNT; i++) {
                // From 1 to 2 texels, by the first 8 bits and by the last of those that share them.
                float a = (1 + (i + (way == 1 ? 0.999f : 0)) / COUNT) / SIDE, b = a * between(0, 1);
                float turn = between(0, 7);
                float c = exp2f(between(-1, 4)) / SIDE * cosf(turn), d = exp2f(between(-1, 4)) / SIDE * sinf(turn);
                switch (way) {
                case 0: case 1: at[i] = make_float4(a, 0, 0, a); break;
                case 2: at[i] = make_float4(a, b, -b, a); break;
                case 3: at[i] = make_float4(2 * a, 0, 0, 2 * b); break;
                case 4: at[i] = make_float4(2 * a, 0, 0, 0); break;
                case 5: at[i] = make_float4(2 * a, 2 * b, a, b); break;
                case 6: at[i] = make_float4(2 * a, 0, 2 * a * cosf(turn), 2 * a * sinf(turn)); break;
                case 7: at[i] = make_float4(2 * a, 2 * b, c, d); break;
                }
            }
            run(std::string("slopes ") + ways[way] + (anisotropy > 1 ? " " + std::to_string(anisotropy) : ""), SLOPES,
                false, t, at);
            done(t);
        }
    OK(cudaFreeMipmappedArray(all));
}

__global__ void outside(cudaSurfaceObject_t s, int *out) { *out = surf2Dread<int>(s, 16, 0); }

// The error that the host gets for an access outside of a surface that traps. Nothing works after it.
void trap() {
    const int zeros[4] = {};
    cudaArray_t array =
        array_of(cudaCreateChannelDesc<int>(), make_cudaExtent(4, 1, 0), cudaArraySurfaceLoadStore, zeros);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    OK(cudaCreateSurfaceObject(&surface, &resource));
    int *out;
    OK(cudaMalloc(&out, sizeof(int)));
    outside<<<1, 1>>>(surface, out);
    printf("trap: %08x\n", cudaDeviceSynchronize());
}

int main() {
    dimensions();
    weights();
    formats();
    special();
    cubes();
    layers();
    levels();
    gathers();
    codes();
    slopes();
    trap();
}
