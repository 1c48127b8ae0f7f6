// Memory of two and three dimensions: pitches, copies and fills.
#include "common.cuh"
#include <vector>

__global__ void scale(char *base, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) ((float *)(base + y * pitch))[x] *= 2;
}

int main() {
    const int width = 37, height = 11, depth = 5;
    std::vector<float> host(width * height), back(width * height, 0);
    for (int i = 0; i < width * height; i++) host[i] = i;
    void *plane;
    size_t pitch;
    OK(cudaMallocPitch(&plane, &pitch, width * sizeof(float), height));
    IS(pitch >= width * sizeof(float) && pitch % 32 == 0);
    OK(cudaMemcpy2D(plane, pitch, host.data(), width * sizeof(float), width * sizeof(float), height,
                    cudaMemcpyHostToDevice));
    scale<<<dim3(2, 1), dim3(32, 16)>>>((char *)plane, pitch, width, height);
    OK(cudaMemcpy2DAsync(back.data(), width * sizeof(float), plane, pitch, width * sizeof(float), height,
                         cudaMemcpyDeviceToHost, 0));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < width * height; i++) IS(back[i] == 2.0f * i);
    OK(cudaMemset2D(plane, pitch, 0, 4 * sizeof(float), height));
    OK(cudaMemcpy2D(back.data(), width * sizeof(float), plane, pitch, width * sizeof(float), height,
                    cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++) IS(back[y * width] == 0 && back[y * width + 4] == 2.0f * (y * width + 4));
    IS(CODE(cudaMemcpy2D(plane, 4, host.data(), 148, 148, 2, cudaMemcpyHostToDevice)) == cudaErrorInvalidPitchValue);

    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(width, height, depth);
    OK(cudaMalloc3D(&box, extent));
    IS(box.xsize == width && box.ysize == height && box.pitch >= width);
    std::vector<unsigned char> bytes(width * height * depth), again(bytes.size(), 0);
    for (size_t i = 0; i < bytes.size(); i++) bytes[i] = i * 7;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(bytes.data(), width, width, height);
    copy.dstPtr = box;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    copy = {};
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(again.data(), width, width, height);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3DAsync(&copy, 0));
    OK(cudaStreamSynchronize(0));
    IS(bytes == again);
    // A part of it: two columns, three rows, one slice further in.
    OK(cudaMemset3D(box, 0xab, make_cudaExtent(2, 3, 4)));
    OK(cudaMemcpy3D(&copy));
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                size_t at = (z * height + y) * width + x;
                IS(again[at] == (x < 2 && y < 3 && z < 4 ? 0xab : bytes[at]));
            }
    copy.srcPos = make_cudaPos(3, 4, 1);
    copy.extent = make_cudaExtent(5, 2, 2);
    OK(cudaMemcpy3D(&copy));
    IS(again[0] == bytes[(1 * height + 4) * width + 3]);
    OK(cudaFree(plane));
    OK(cudaFree(box.ptr));
    puts("shapes are right");
}
