// C++ on the device: lambdas, templates, virtual functions, function pointers, memory from the device's own heap.
// nvcc: --extended-lambda -std=c++17
#include "common.cuh"

template <typename F> __global__ void apply(int *p, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = f(i);
}

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};
struct Strip : Shape {
    float length;
    __device__ Strip(float length) : length(length) {}
    __device__ float area() const override { return 2 * length; }
};
__global__ void areas(float *out) {
    Shape *shape = threadIdx.x % 2 ? (Shape *)new Strip(threadIdx.x) : (Shape *)new Square(threadIdx.x);
    out[threadIdx.x] = shape->area();
    delete shape;
}

typedef int (*Operation)(int, int);
__device__ int plus(int a, int b) {
    return a + b;
}
__device__ int times(int a, int b) {
    return a * b;
}
__device__ Operation operations[2] = {plus, times};
__global__ void call(int *p) {
    p[threadIdx.x] = operations[threadIdx.x % 2](threadIdx.x, 10);
}

int main() {
    int *p, host[64], k = 3;
    float *areas_found, back[8];
    OK(cudaMalloc(&p, sizeof host));
    OK(cudaMalloc(&areas_found, sizeof back));
    apply<<<2, 32>>>(p, 64, [=] __device__(int i) { return k * i; });
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) IS(host[i] == 3 * i);
    areas<<<1, 8>>>(areas_found);
    OK(cudaMemcpy(back, areas_found, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) IS(back[i] == (i % 2 ? 2 * i : i * i));
    call<<<1, 8>>>(p);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) IS(host[i] == (i % 2 ? i * 10 : i + 10));
    OK(cudaFree(p));
    OK(cudaFree(areas_found));
    puts("classes are right");
}
