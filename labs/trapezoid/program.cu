// The trapezoidal rule: the integral of x*x + 1, a warp's sum by shuffles and one atomic addition for each warp.
//
// Compile and run:  warplab nvcc program.cu -o trapezoid && warplab exec ./trapezoid 0 3 4096 128
// run: 0 3 4096 128
#include <cmath>
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

__host__ __device__ float f(float x) {
    return x * x + 1;
}

// The sum over the lanes of a warp; lane 0 gets it.
__device__ float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

// Thread i takes the point a + i*h. The ends are the host's: they count half.
__global__ void inner_points(float a, float h, int n, float *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // Every lane takes part in the shuffles, also one without a point.
    float value = warp_sum(0 < i && i < n ? f(a + i * h) : 0);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, value);
}

int main(int argc, char **argv) {
    float a = argc == 5 ? atof(argv[1]) : 0, b = argc == 5 ? atof(argv[2]) : 0;
    int n = argc == 5 ? atoi(argv[3]) : 0, threads = argc == 5 ? atoi(argv[4]) : 0;
    if (n < 1 || threads < 32 || threads % 32 != 0) {
        fprintf(stderr, "usage: %s FROM TO TRAPEZOIDS THREADS (a multiple of 32)\n", argv[0]);
        return 2;
    }
    float h = (b - a) / n, *sum;
    // Managed memory has one address, for the host and for the device.
    check(cudaMallocManaged(&sum, sizeof *sum), "memory for the sum");
    *sum = (f(a) + f(b)) / 2;
    inner_points<<<(n + threads - 1) / threads, threads>>>(a, h, n, sum);
    check(cudaGetLastError(), "launch");
    // The host may look at the sum when the kernel has ended, and not before.
    check(cudaDeviceSynchronize(), "kernel");

    double exact = (pow(b, 3) - pow(a, 3)) / 3 + (b - a), found = *sum * h;
    printf("with %d trapezoids: %.3f, exactly %.3f\n", n, found, exact);
    check(cudaFree(sum), "free");
    return fabs(found - exact) <= 1e-3 * fabs(exact) ? 0 : 1;
}
