// Functions that call themselves and each other, pointers to functions, and a stack that is made large enough.
#include "common.cuh"

__device__ __noinline__ unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ bool is_odd(int n);
__device__ __noinline__ bool is_even(int n) {
    return n == 0 ? true : is_odd(n - 1);
}
__device__ __noinline__ bool is_odd(int n) {
    return n == 0 ? false : is_even(n - 1);
}

// A part of the array in order, by halves.
__device__ __noinline__ void quick_sort(int *x, int low, int high) {
    if (low >= high) return;
    int pivot = x[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (x[i] < pivot) i++;
        while (x[j] > pivot) j--;
        if (i <= j) {
            int swapped = x[i];
            x[i++] = x[j];
            x[j--] = swapped;
        }
    }
    quick_sort(x, low, j);
    quick_sort(x, i, high);
}

typedef int (*Step)(int, int);
__device__ __noinline__ int add(int a, int b) {
    return a + b;
}
__device__ __noinline__ int multiply(int a, int b) {
    return a * b;
}
__device__ __noinline__ int fold(Step step, const int *x, int n, int begin) {
    return n == 0 ? begin : fold(step, x + 1, n - 1, step(begin, x[0]));
}

__global__ void all(int *out, int *x) {
    int t = threadIdx.x;
    out[t] = fibonacci(t);
    out[32 + t] = is_even(t) + 2 * is_odd(t);
    quick_sort(x + 20 * t, 0, 19);
    if (t == 0) {
        int few[] = {1, 2, 3, 4, 5};
        out[64] = fold(add, few, 5, 0);
        out[65] = fold(multiply, few, 5, 1);
    }
}

int main() {
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024));
    int *out, *x, host[66], numbers[15 * 20];
    OK(cudaMalloc(&out, sizeof host));
    OK(cudaMalloc(&x, sizeof numbers));
    for (int i = 0; i < 300; i++) numbers[i] = i * 7919 % 101;
    OK(cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    all<<<1, 15>>>(out, x);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(numbers, x, sizeof numbers, cudaMemcpyDeviceToHost));
    IS(host[14] == 377 && host[10] == 55);
    for (int t = 0; t < 15; t++) IS(host[32 + t] == (t % 2 ? 2 : 1));
    for (int i = 1; i < 300; i++) IS(i % 20 == 0 || numbers[i - 1] <= numbers[i]);
    IS(host[64] == 15 && host[65] == 120);
    OK(cudaFree(out));
    OK(cudaFree(x));
    puts("recursion is right");
}
