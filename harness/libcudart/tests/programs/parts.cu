// Separate compilation: a device function and a variable of another file (here: of the same file, compiled with -dc).
// nvcc: -rdc=true
#include "common.cuh"

extern __device__ int offset;
__device__ int shifted(int x);

__global__ void use(int *p) {
    p[threadIdx.x] = shifted(threadIdx.x);
}

__device__ int offset = 100;
__device__ __noinline__ int shifted(int x) {
    return x + offset;
}

int main() {
    int *p, host[8];
    OK(cudaMalloc(&p, sizeof host));
    use<<<1, 8>>>(p);
    OK(cudaGetLastError());
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) IS(host[i] == 100 + i);
    OK(cudaFree(p));
    puts("parts are right");
}
