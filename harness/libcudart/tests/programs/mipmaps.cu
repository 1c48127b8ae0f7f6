// Arrays with levels: each level filled separately, and fetches between them.
#include "common.cuh"
#include <vector>

const int N = 16, LEVELS = 5;

__global__ void at_level(cudaTextureObject_t t, float *out, float step) {
    out[threadIdx.x] = tex2DLod<float>(t, 0.4f, 0.6f, threadIdx.x * step);
}

__global__ void by_sides(cudaTextureObject_t t, float *out) {
    float side = exp2f(threadIdx.x) / N;
    out[threadIdx.x] = tex2DGrad<float>(t, 0.4f, 0.6f, make_float2(side, 0), make_float2(0, side));
}

__global__ void fill(cudaSurfaceObject_t s, int n, float value) {
    if (threadIdx.x < n && threadIdx.y < n) surf2Dwrite(value, s, threadIdx.x * (int)sizeof(float), threadIdx.y);
}

int main() {
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t all;
    OK(cudaMallocMipmappedArray(&all, &channel, make_cudaExtent(N, N, 0), LEVELS, cudaArraySurfaceLoadStore));
    for (int level = 0; level < LEVELS; level++) {
        cudaArray_t array;
        OK(cudaGetMipmappedArrayLevel(&array, all, level));
        cudaExtent extent;
        OK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
        IS(extent.width == N >> level && extent.height == N >> level);
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaSurfaceObject_t surface;
        OK(cudaCreateSurfaceObject(&surface, &resource));
        fill<<<1, dim3(N, N)>>>(surface, N >> level, 16.0f * level);
        OK(cudaDeviceSynchronize());
        OK(cudaDestroySurfaceObject(surface));
        float first = -1;
        OK(cudaMemcpy2DFromArray(&first, 4, array, 0, 0, 4, 1, cudaMemcpyDeviceToHost));
        IS(first == 16.0f * level);
    }
    cudaArray_t none;
    IS(CODE(cudaGetMipmappedArrayLevel(&none, all, LEVELS)) == cudaErrorInvalidValue);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = all;
    cudaTextureDesc desc = {};
    for (auto &mode : desc.addressMode) mode = cudaAddressModeClamp;
    desc.normalizedCoords = 1;
    desc.mipmapFilterMode = cudaFilterModeLinear;
    desc.maxMipmapLevelClamp = LEVELS - 1;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    float *out;
    OK(cudaMallocManaged(&out, 32 * sizeof(float)));
    at_level<<<1, 32>>>(texture, out, 0.25f);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) IS(out[i] == (i < 16 ? 4.0f * i : 64.0f));
    by_sides<<<1, LEVELS>>>(texture, out);
    OK(cudaDeviceSynchronize());
    // The level of a footprint comes from an approximate logarithm.
    for (int i = 0; i < LEVELS; i++) IS(out[i] > 16.0f * i - 1 && out[i] < 16.0f * i + 1);
    OK(cudaDestroyTextureObject(texture));

    desc.mipmapFilterMode = cudaFilterModePoint;
    desc.minMipmapLevelClamp = 1;
    desc.maxMipmapLevelClamp = 3;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    at_level<<<1, 32>>>(texture, out, 0.25f);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        float level = i * 0.25f < 1 ? 1 : i * 0.25f > 3 ? 3 : i * 0.25f;
        // Halfway between two levels, either may be the nearest.
        if (level - (int)level != 0.5f) IS(out[i] == 16.0f * (int)(level + 0.5f));
    }
    OK(cudaDestroyTextureObject(texture));

    cudaResourceViewDesc view = {};
    view.format = cudaResViewFormatFloat1;
    view.width = view.height = N >> 2;
    view.firstMipmapLevel = 2;
    view.lastMipmapLevel = 3;
    desc.minMipmapLevelClamp = 0;
    if (cudaCreateTextureObject(&texture, &resource, &desc, &view) == cudaSuccess) {
        at_level<<<1, 32>>>(texture, out, 1.0f);
        OK(cudaDeviceSynchronize());
        IS(out[0] == 32 && out[1] == 48 && out[2] == 48);
        OK(cudaDestroyTextureObject(texture));
    } else {
        cudaGetLastError();
    }
    desc.normalizedCoords = 0;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeMipmappedArray(all));
    OK(cudaFree(out));
    puts("mipmaps are right");
}
