// 2 + 3, computed on the device, and the ways in which the host gets the 5: the whole program.
//
// Compile and run:  warplab nvcc program.cu -o returning && warplab exec ./returning
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// A kernel returns nothing. It leaves its result where the host can get it.
__global__ void add(int x, int y, int *sum) {
    *sum = x + y;
}

// Variables of the whole program: the first lies on the device, the second is there for both.
__device__ int device_sum;
__managed__ int managed_sum;

__global__ void add_to_device_variable(int x, int y) {
    device_sum = x + y;
}

__global__ void add_to_managed_variable(int x, int y) {
    managed_sum = x + y;
}

// Memory of the device's own: the host gets a copy. The copy waits for the kernel.
static int by_copy() {
    int sum, *device;
    check(cudaMalloc(&device, sizeof sum), "memory on the device");
    add<<<1, 1>>>(2, 3, device);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost), "copy");
    check(cudaFree(device), "free");
    return sum;
}

// Managed memory has one address for both. The host has to wait before it looks.
static int by_managed_memory() {
    int *sum;
    check(cudaMallocManaged(&sum, sizeof *sum), "managed memory");
    add<<<1, 1>>>(2, 3, sum);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    int found = *sum;
    check(cudaFree(sum), "free");
    return found;
}

// Memory of the host that the device writes to, over the bus. Here too the host has to wait.
static int by_mapped_memory() {
    int *sum;
    check(cudaHostAlloc(&sum, sizeof *sum, cudaHostAllocMapped), "page-locked memory");
    int *device;
    check(cudaHostGetDevicePointer(&device, sum, 0), "the device's address of it");
    add<<<1, 1>>>(2, 3, device);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    int found = *sum;
    check(cudaFreeHost(sum), "free");
    return found;
}

// A variable on the device is copied by its name.
static int by_device_variable() {
    add_to_device_variable<<<1, 1>>>(2, 3);
    check(cudaGetLastError(), "launch");
    int sum;
    check(cudaMemcpyFromSymbol(&sum, device_sum, sizeof sum), "copy of the variable");
    return sum;
}

// A managed variable is read as any other, after waiting.
static int by_managed_variable() {
    add_to_managed_variable<<<1, 1>>>(2, 3);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    return managed_sum;
}

int main() {
    int sums[] = {by_copy(), by_managed_memory(), by_mapped_memory(), by_device_variable(), by_managed_variable()};
    const char *ways[] = {"a copy", "managed memory", "mapped memory", "a device variable", "a managed variable"};
    bool is_right = true;
    for (int i = 0; i < 5; i++) {
        printf("by %s: 2 + 3 = %d\n", ways[i], sums[i]);
        is_right = is_right && sums[i] == 5;
    }
    return is_right ? 0 : 1;
}
