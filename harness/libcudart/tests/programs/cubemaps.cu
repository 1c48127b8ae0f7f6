// Cube maps, one and several: each direction meets the face and the texel that the programming guide's table names.
#include "common.cuh"
#include <cmath>
#include <vector>

const int N = 4, CUBES = 2;

__global__ void one(cudaTextureObject_t t, const float4 *directions, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = texCubemap<float>(t, directions[i].x, directions[i].y, directions[i].z);
}

__global__ void several(cudaTextureObject_t t, const float4 *directions, float *out, int n, int cube) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = texCubemapLayered<float>(t, directions[i].x, directions[i].y, directions[i].z, cube);
}

__global__ void mark(cudaSurfaceObject_t s) {
    surfCubemapwrite(100.0f * blockIdx.x + threadIdx.y * N + threadIdx.x, s, (int)threadIdx.x * 4, threadIdx.y,
                     blockIdx.x);
}

// The face and the texel of a direction, none of whose components are as large as the largest.
int meets(float4 v) {
    float x = fabsf(v.x), y = fabsf(v.y), z = fabsf(v.z), m, s, t;
    int face;
    if (x > y && x > z) {
        face = v.x < 0, m = x, s = v.x < 0 ? v.z : -v.z, t = -v.y;
    } else if (y > z) {
        face = 2 + (v.y < 0), m = y, s = v.x, t = v.y < 0 ? -v.z : v.z;
    } else {
        face = 4 + (v.z < 0), m = z, s = v.z < 0 ? -v.x : v.x, t = -v.y;
    }
    int column = (int)floorf((s / m + 1) / 2 * N), row = (int)floorf((t / m + 1) / 2 * N);
    return 100 * face + row * N + column;
}

int main() {
    std::vector<float4> directions;
    unsigned seed = 3;
    while (directions.size() < 1000) {
        float part[3];
        for (float &p : part) {
            seed = seed * 1664525 + 1013904223;
            p = ((int)(seed >> 8) % 2001 - 1000) / 997.0f;
        }
        float4 v = make_float4(part[0], part[1], part[2], 0);
        float x = fabsf(v.x), y = fabsf(v.y), z = fabsf(v.z), m = fmaxf(x, fmaxf(y, z));
        // Away from the edges of faces and of texels.
        bool edge = (x > 0.98f * m) + (y > 0.98f * m) + (z > 0.98f * m) != 1;
        for (float p : part) {
            float place = (p / m + 1) / 2 * N;
            edge = edge || (fabsf(p) != m && fabsf(place - roundf(place)) < 0.01f);
        }
        if (!edge) directions.push_back(v);
    }
    const int n = directions.size();
    float4 *device;
    float *out;
    OK(cudaMalloc(&device, n * sizeof(float4)));
    OK(cudaMallocManaged(&out, n * sizeof(float)));
    OK(cudaMemcpy(device, directions.data(), n * sizeof(float4), cudaMemcpyHostToDevice));

    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMalloc3DArray(&array, &channel, make_cudaExtent(N, N, 6), cudaArrayCubemap | cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    OK(cudaCreateSurfaceObject(&surface, &resource));
    mark<<<6, dim3(N, N)>>>(surface);
    cudaTextureDesc desc = {};
    desc.normalizedCoords = 1;
    for (auto &mode : desc.addressMode) mode = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    one<<<4, 256>>>(texture, device, out, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) IS(out[i] == meets(directions[i]));
    OK(cudaDestroyTextureObject(texture));
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaFreeArray(array));

    std::vector<float> host(N * N * 6 * CUBES);
    for (size_t i = 0; i < host.size(); i++) {
        int slice = i / (N * N);
        host[i] = 1000 * (slice / 6) + 100 * (slice % 6) + i % (N * N);
    }
    cudaExtent extent = make_cudaExtent(N, N, 6 * CUBES);
    OK(cudaMalloc3DArray(&array, &channel, extent, cudaArrayCubemap | cudaArrayLayered));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host.data(), N * sizeof(float), N, N);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    resource.res.array.array = array;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    for (int cube = 0; cube < CUBES; cube++) {
        several<<<4, 256>>>(texture, device, out, n, cube);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++) IS(out[i] == 1000 * cube + meets(directions[i]));
    }
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(array));
    IS(CODE(cudaMalloc3DArray(&array, &channel, make_cudaExtent(N, N + 1, 6), cudaArrayCubemap)) != cudaSuccess);
    OK(cudaFree(device));
    OK(cudaFree(out));
    puts("cubemaps are right");
}
