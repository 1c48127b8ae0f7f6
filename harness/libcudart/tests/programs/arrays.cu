// Arrays: their descriptions, and copies of every shape to them, from them and between them.
#include "common.cuh"
#include <vector>

const int W = 10, H = 6;

int main() {
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<int>();
    cudaArray_t one, other;
    OK(cudaMallocArray(&one, &channel, W, H));
    OK(cudaMallocArray(&other, &channel, W, H));
    std::vector<int> host(W * H), back(W * H, -1);
    for (int i = 0; i < W * H; i++) host[i] = 1000 + i;
    const size_t row = W * sizeof(int);
    OK(cudaMemcpy2DToArray(one, 0, 0, host.data(), row, row, H, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(back.data(), row, one, 0, 0, row, H, cudaMemcpyDeviceToHost));
    IS(back == host);
    OK(cudaMemcpy2DArrayToArray(other, 0, 0, one, 0, 0, row, H, cudaMemcpyDeviceToDevice));
    // A part: three columns and two rows, to another place.
    OK(cudaMemcpy2DArrayToArray(other, 4, 1, one, 8, 3, 12, 2, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy2DFromArray(back.data(), row, other, 0, 0, row, H, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * H; i++) {
        int x = i % W, y = i / W;
        bool moved = x >= 1 && x < 4 && y >= 1 && y < 3;
        IS(back[i] == (moved ? host[(y + 2) * W + x + 1] : host[i]));
    }
    // From device memory with a pitch, in a stream.
    int *device;
    size_t pitch;
    OK(cudaMallocPitch(&device, &pitch, row, H));
    OK(cudaMemcpy2D(device, pitch, host.data(), row, row, H, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(device, pitch, 0, 8, H));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMemcpy2DToArrayAsync(one, 0, 0, device, pitch, row, H, cudaMemcpyDeviceToDevice, stream));
    OK(cudaMemcpy2DFromArrayAsync(back.data(), row, one, 0, 0, row, H, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < W * H; i++) IS(back[i] == (i % W < 2 ? 0 : host[i]));

    // Outside, not whole elements, and what is not an array.
    IS(CODE(cudaMemcpy2DToArray(one, 4, 0, host.data(), row, row, H, cudaMemcpyHostToDevice)) == cudaErrorInvalidValue);
    IS(CODE(cudaMemcpy2DToArray(one, 0, 1, host.data(), row, row, H, cudaMemcpyHostToDevice)) == cudaErrorInvalidValue);
    cudaChannelFormatDesc uneven = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t none;
    IS(CODE(cudaMallocArray(&none, &uneven, W, H)) != cudaSuccess);
    IS(CODE(cudaMallocArray(&none, &channel, 0, H)) != cudaSuccess);

    // A volume, a part of which is copied.
    cudaArray_t volume;
    OK(cudaMalloc3DArray(&volume, &channel, make_cudaExtent(W, H, 3)));
    std::vector<int> box(W * H * 3), again(2 * 3 * 2, -1);
    for (size_t i = 0; i < box.size(); i++) box[i] = i;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(box.data(), row, W, H);
    copy.dstArray = volume;
    copy.extent = make_cudaExtent(W, H, 3);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3DAsync(&copy, stream));
    copy = {};
    copy.srcArray = volume;
    copy.srcPos = make_cudaPos(5, 2, 1);
    copy.dstPtr = make_cudaPitchedPtr(again.data(), 2 * sizeof(int), 2, 3);
    copy.extent = make_cudaExtent(2, 3, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3DAsync(&copy, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 12; i++) IS(again[i] == ((i / 6 + 1) * H + i / 2 % 3 + 2) * W + i % 2 + 5);
    cudaExtent extent;
    OK(cudaArrayGetInfo(&channel, &extent, nullptr, volume));
    IS(extent.width == W && extent.height == H && extent.depth == 3);
    IS(channel.x == 32 && channel.y == 0 && channel.f == cudaChannelFormatKindSigned);
    for (cudaArray_t array : {one, other, volume}) OK(cudaFreeArray(array));
    OK(cudaFreeArray(nullptr));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(device));
    puts("arrays are right");
}
