// Layered arrays: layers of rows and of planes, read as textures and written as surfaces.
#include "common.cuh"
#include <vector>

const int W = 8, H = 4, L = 5;

__global__ void planes(cudaTextureObject_t t, float *out) {
    int layer = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    out[(layer * H + y) * W + x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, layer);
}

__global__ void rows(cudaTextureObject_t t, float *out, float shift) {
    out[blockIdx.x * W + threadIdx.x] = tex1DLayered<float>(t, threadIdx.x + 0.5f + shift, blockIdx.x);
}

__global__ void add_layer(cudaSurfaceObject_t s) {
    int layer = blockIdx.x, x = threadIdx.x * (int)sizeof(float), y = threadIdx.y;
    surf2DLayeredwrite(surf2DLayeredread<float>(s, x, y, layer) + layer, s, x, y, layer);
}

cudaArray_t layered(int height, const std::vector<float> &host, unsigned flags) {
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMalloc3DArray(&array, &channel, make_cudaExtent(W, height, L), cudaArrayLayered | flags));
    int rows = height > 0 ? height : 1;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)host.data(), W * sizeof(float), W, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(W, rows, L);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    return array;
}

int main() {
    std::vector<float> host(W * H * L);
    for (size_t i = 0; i < host.size(); i++) host[i] = i * 3 % 64;
    cudaArray_t array = layered(H, host, cudaArraySurfaceLoadStore);
    cudaChannelFormatDesc channel;
    cudaExtent extent;
    unsigned flags;
    OK(cudaArrayGetInfo(&channel, &extent, &flags, array));
    IS(channel.x == 32 && channel.f == cudaChannelFormatKindFloat && channel.y == 0);
    IS(extent.width == W && extent.height == H && extent.depth == L);
    IS(flags == (cudaArrayLayered | cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    desc.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    cudaSurfaceObject_t surface;
    OK(cudaCreateSurfaceObject(&surface, &resource));
    float *out;
    OK(cudaMallocManaged(&out, host.size() * sizeof(float)));
    planes<<<L, dim3(W, H)>>>(texture, out);
    OK(cudaDeviceSynchronize());
    for (size_t i = 0; i < host.size(); i++) IS(out[i] == host[i]);
    add_layer<<<L, dim3(W, H)>>>(surface);
    planes<<<L, dim3(W, H)>>>(texture, out);
    OK(cudaDeviceSynchronize());
    for (size_t i = 0; i < host.size(); i++) IS(out[i] == host[i] + i / (W * H));
    OK(cudaDestroyTextureObject(texture));
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaFreeArray(array));

    array = layered(0, host, 0);
    resource.res.array.array = array;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    for (float shift : {0.0f, 0.5f}) {
        rows<<<L, W>>>(texture, out, shift);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < W * L; i++) {
            float next = i % W < W - 1 ? host[i + 1] : host[i];
            IS(out[i] == (shift > 0 ? (host[i] + next) / 2 : host[i]));
        }
    }
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(array));
    OK(cudaFree(out));
    puts("layers are right");
}
