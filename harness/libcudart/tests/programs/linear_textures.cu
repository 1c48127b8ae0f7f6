// Textures over linear memory: by index, and with two dimensions and a pitch.
#include "common.cuh"
#include <vector>

__global__ void by_index(cudaTextureObject_t t, float4 *out, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float4>(t, first + i);
}

__global__ void plane(cudaTextureObject_t t, float *out, int width, int height, float shift) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) out[y * width + x] = tex2D<float>(t, x + 0.5f + shift, y + 0.5f);
}

int main() {
    const int n = 100, width = 13, height = 7;
    std::vector<float4> host(n), back(n + 20);
    for (int i = 0; i < n; i++) host[i] = make_float4(i, -i, i * 0.5f, 1);
    float4 *from, *to;
    OK(cudaMalloc(&from, n * sizeof(float4)));
    OK(cudaMalloc(&to, (n + 20) * sizeof(float4)));
    OK(cudaMemcpy(from, host.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    size_t most;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float4>();
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&most, &channel, 0));
    IS(most >= 1 << 27);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = from;
    resource.res.linear.desc = cudaCreateChannelDesc<float4>();
    resource.res.linear.sizeInBytes = n * sizeof(float4);
    cudaTextureDesc desc = {};
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    by_index<<<1, 128>>>(texture, to, -10, n + 20);
    OK(cudaMemcpy(back.data(), to, back.size() * sizeof(float4), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n + 20; i++) {
        bool inside = i >= 10 && i < n + 10;
        float4 want = inside ? host[i - 10] : make_float4(0, 0, 0, 0), got = back[i];
        IS(got.x == want.x && got.y == want.y && got.z == want.z && got.w == want.w);
    }
    OK(cudaDestroyTextureObject(texture));
    resource.res.linear.devPtr = (char *)from + 4;
    IS(CODE(cudaCreateTextureObject(&texture, &resource, &desc, nullptr)) != cudaSuccess);
    resource.res.linear.devPtr = from;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    cudaResourceDesc told;
    OK(cudaGetTextureObjectResourceDesc(&told, texture));
    IS(told.resType == cudaResourceTypeLinear && told.res.linear.devPtr == from);
    IS(told.res.linear.sizeInBytes == n * sizeof(float4) && told.res.linear.desc.w == 32);
    OK(cudaDestroyTextureObject(texture));

    float *rows, *out;
    size_t pitch;
    std::vector<float> image(width * height), got(width * height);
    for (int i = 0; i < width * height; i++) image[i] = i;
    OK(cudaMallocPitch(&rows, &pitch, width * sizeof(float), height));
    OK(cudaMalloc(&out, width * height * sizeof(float)));
    OK(cudaMemcpy2D(rows, pitch, image.data(), width * sizeof(float), width * sizeof(float), height,
                    cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    desc.filterMode = cudaFilterModeLinear;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    for (float shift : {0.0f, 0.25f}) {
        plane<<<1, dim3(16, 8)>>>(texture, out, width, height, shift);
        OK(cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < width * height; i++) IS(got[i] == image[i] + (i % width < width - 1 ? shift : 0));
    }
    OK(cudaDestroyTextureObject(texture));
    resource.res.pitch2D.pitchInBytes = pitch + 4;
    IS(CODE(cudaCreateTextureObject(&texture, &resource, &desc, nullptr)) != cudaSuccess);
    for (void *pointer : {(void *)from, (void *)to, (void *)rows, (void *)out}) OK(cudaFree(pointer));
    puts("linear textures are right");
}
