// Each thread of one block says hello: the whole program, with its main function.
//
// Compile and run:  warplab nvcc program.cu -o hello && warplab exec ./hello 4
// run: 4
#include <cstdio>
#include <cstdlib>

// Runs on the device, once in every thread.
__global__ void hello() {
    printf("Hello from thread %d!\n", threadIdx.x);
}

// Runs on the host. The argument is the number of threads.
int main(int argc, char **argv) {
    if (argc != 2 || atoi(argv[1]) < 1) {
        fprintf(stderr, "usage: %s THREADS\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[1]);

    hello<<<1, threads>>>();

    // The launch above returns immediately. What the kernel prints appears, and what went wrong is known, when it has ended.
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        fprintf(stderr, "hello: %s\n", cudaGetErrorString(error));
        return 1;
    }
    return 0;
}
