// Surfaces over arrays: loads and stores of all widths, outside of them, and seen through a texture.
#include "common.cuh"
#include <vector>

const int W = 16, H = 8, D = 3;

__global__ void fill(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(make_float2(x, y), s, x * (int)sizeof(float2), y);
}

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x, y = threadIdx.y;
    float2 value = surf2Dread<float2>(from, x * (int)sizeof(float2), y);
    surf2Dwrite(make_float2(value.y, value.x), to, (W - 1 - x) * (int)sizeof(float2), y);
}

__global__ void look(cudaTextureObject_t t, float2 *out) {
    out[threadIdx.y * W + threadIdx.x] = tex2D<float2>(t, threadIdx.x, threadIdx.y);
}

__global__ void outside(cudaSurfaceObject_t s, float2 *out) {
    int x = ((int)threadIdx.x - 4) * (int)sizeof(float2), y = (int)threadIdx.y - 4;
    int at = threadIdx.y * 24 + threadIdx.x;
    out[at] = surf2Dread<float2>(s, x, y, cudaBoundaryModeZero);
    out[24 * 16 + at] = surf2Dread<float2>(s, x, y, cudaBoundaryModeClamp);
    surf2Dwrite(make_float2(99, 99), s, -8, y, cudaBoundaryModeZero);
}

template <class T>
__global__ void bump(cudaSurfaceObject_t s, int by) {
    T value = surf3Dread<T>(s, threadIdx.x * (int)sizeof(T), threadIdx.y, threadIdx.z);
    value = value + by;
    surf3Dwrite(value, s, threadIdx.x * (int)sizeof(T), threadIdx.y, threadIdx.z);
}

__global__ void row(cudaSurfaceObject_t s) {
    ushort4 value = surf1Dread<ushort4>(s, threadIdx.x * 8);
    value.x += 1, value.w += 2;
    surf1Dwrite(value, s, threadIdx.x * 8);
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    OK(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

template <class T>
void volume() {
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<T>();
    cudaExtent extent = make_cudaExtent(W, H, D);
    cudaArray_t array;
    OK(cudaMalloc3DArray(&array, &channel, extent, cudaArraySurfaceLoadStore));
    std::vector<T> host(W * H * D), back(host.size());
    for (size_t i = 0; i < host.size(); i++) host[i] = (T)(i % 100);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host.data(), W * sizeof(T), W, H);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    cudaSurfaceObject_t surface = surface_of(array);
    bump<T><<<1, dim3(W, H, D)>>>(surface, 7);
    copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(back.data(), W * sizeof(T), W, H);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    for (size_t i = 0; i < host.size(); i++) IS(back[i] == (T)(host[i] + 7));
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaFreeArray(array));
}

int main() {
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float2>();
    cudaArray_t one, other;
    OK(cudaMallocArray(&one, &channel, W, H, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&other, &channel, W, H, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t from = surface_of(one), to = surface_of(other);
    fill<<<1, dim3(W, H)>>>(from);
    turn<<<1, dim3(W, H)>>>(from, to);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = other;
    cudaTextureDesc desc = {};
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    float2 *out;
    OK(cudaMallocManaged(&out, 2 * 24 * 16 * sizeof(float2)));
    look<<<1, dim3(W, H)>>>(texture, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < W * H; i++) IS(out[i].x == i / W && out[i].y == W - 1 - i % W);

    outside<<<1, dim3(24, 16)>>>(from, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 24 * 16; i++) {
        int x = i % 24 - 4, y = i / 24 - 4;
        bool inside = x >= 0 && x < W && y >= 0 && y < H;
        int near_x = x < 0 ? 0 : x < W ? x : W - 1, near_y = y < 0 ? 0 : y < H ? y : H - 1;
        IS(out[i].x == (inside ? x : 0) && out[i].y == (inside ? y : 0));
        IS(out[24 * 16 + i].x == near_x && out[24 * 16 + i].y == near_y);
    }
    volume<signed char>();
    volume<unsigned short>();
    volume<int>();
    volume<float>();

    cudaChannelFormatDesc of_row = cudaCreateChannelDesc<ushort4>();
    cudaArray_t line;
    OK(cudaMallocArray(&line, &of_row, 32, 0, cudaArraySurfaceLoadStore));
    std::vector<ushort4> host(32), back(32);
    for (int i = 0; i < 32; i++) host[i] = make_ushort4(i, 2 * i, 3 * i, 4 * i);
    OK(cudaMemcpy2DToArray(line, 0, 0, host.data(), 256, 256, 1, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t surface = surface_of(line);
    row<<<1, 32>>>(surface);
    OK(cudaMemcpy2DFromArray(back.data(), 256, line, 0, 0, 256, 1, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) IS(back[i].x == i + 1 && back[i].y == 2 * i && back[i].w == 4 * i + 2);

    cudaArray_t plain;
    OK(cudaMallocArray(&plain, &channel, W, H));
    cudaResourceDesc told;
    OK(cudaGetSurfaceObjectResourceDesc(&told, surface));
    IS(told.resType == cudaResourceTypeArray && told.res.array.array == line);
    for (cudaSurfaceObject_t s : {from, to, surface}) OK(cudaDestroySurfaceObject(s));
    OK(cudaDestroyTextureObject(texture));
    for (cudaArray_t array : {one, other, line, plain}) OK(cudaFreeArray(array));
    OK(cudaFree(out));
    puts("surfaces are right");
}
