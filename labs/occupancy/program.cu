// How full the SMs get with blocks of different sizes, by arithmetic and by asking the runtime: the whole program.
//
// Compile and run:  warplab nvcc program.cu -o occupancy && warplab exec ./occupancy
#include <algorithm>
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

__global__ void multiply(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * b[i];
}

// The warps that are resident on an SM, where only its threads and its blocks limit them.
static int warps_by_arithmetic(const cudaDeviceProp &device, int threads) {
    int warps_of_block = (threads + 31) / 32;
    int by_threads = device.maxThreadsPerMultiProcessor / 32 / warps_of_block;
    return std::min(by_threads, device.maxBlocksPerMultiProcessor) * warps_of_block;
}

int main() {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "properties of the device");
    cudaFuncAttributes kernel;
    check(cudaFuncGetAttributes(&kernel, multiply), "attributes of the kernel");
    // Up to 32 registers a thread do not limit it: 2048 threads have 65536 of them.
    bool are_few = kernel.numRegs <= 32;
    printf("the kernel needs %s\n", are_few ? "few registers" : "many registers, which may be the limit");

    int most = device.maxThreadsPerMultiProcessor / 32, different = 0;
    for (int threads : {32, 33, 64, 192, 256, 640, 768, 1024}) {
        int blocks;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, multiply, threads, 0), "occupancy");
        int warps = blocks * ((threads + 31) / 32);
        printf("blocks of %d threads: %.0f %% of the warps are resident\n", threads, 100.0 * warps / most);
        different += warps != warps_by_arithmetic(device, threads);
    }
    printf("%d answers differ from the arithmetic\n", different);
    return different == 0 || !are_few ? 0 : 1;
}
