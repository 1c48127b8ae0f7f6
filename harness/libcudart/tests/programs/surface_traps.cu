// A read outside of a surface: its coordinate counts eight bytes for an element of four.
// code: 1
#include "common.cuh"

const int W = 16;

__global__ void copy(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x;
    surf1Dwrite(surf1Dread<float>(from, x * 8), to, x * 4);
}

int main() {
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaSurfaceObject_t surfaces[2];
    for (cudaSurfaceObject_t &surface : surfaces) {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        OK(cudaMallocArray(&resource.res.array.array, &channel, W, 0, cudaArraySurfaceLoadStore));
        OK(cudaCreateSurfaceObject(&surface, &resource));
    }
    copy<<<1, W>>>(surfaces[0], surfaces[1]);
    IS(cudaDeviceSynchronize() != cudaSuccess);
    puts("the kernel has failed");
}
