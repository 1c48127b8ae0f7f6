// The sum of two vectors: the whole program, with copies to the device and back.
//
// Compile and run:  warplab nvcc program.cu -o vecadd && warplab exec ./vecadd 100000
// run: 100000
#include <cmath>
#include <cstdio>
#include <cstdlib>

// Ends the program with a word about what went wrong.
static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

// One thread for each element; the last block may have threads to spare.
__global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

int main(int argc, char **argv) {
    int n = argc == 2 ? atoi(argv[1]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: %s ELEMENTS\n", argv[0]);
        return 2;
    }
    size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes), *z = (float *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        x[i] = i;
        y[i] = n - i;
    }

    float *device_x, *device_y, *device_z;
    check(cudaMalloc(&device_x, bytes), "memory for x");
    check(cudaMalloc(&device_y, bytes), "memory for y");
    check(cudaMalloc(&device_z, bytes), "memory for z");
    check(cudaMemcpy(device_x, x, bytes, cudaMemcpyHostToDevice), "copy of x");
    check(cudaMemcpy(device_y, y, bytes, cudaMemcpyHostToDevice), "copy of y");

    int threads = 256, blocks = (n + threads - 1) / threads;
    add<<<blocks, threads>>>(device_x, device_y, device_z, n);
    check(cudaGetLastError(), "launch");

    // This copy waits for the kernel.
    check(cudaMemcpy(z, device_z, bytes, cudaMemcpyDeviceToHost), "copy of z");

    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(z[i] - (double)n));
    printf("n = %d, largest error %g\n", n, worst);

    check(cudaFree(device_x), "free");
    check(cudaFree(device_y), "free");
    check(cudaFree(device_z), "free");
    free(x);
    free(y);
    free(z);
    return worst == 0 ? 0 : 1;
}
