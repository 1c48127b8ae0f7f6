// Templates on the device: of functions, classes and packs; if constexpr, constexpr tables, generic lambdas, functors.
// nvcc: --extended-lambda -std=c++17
#include "common.cuh"

template <typename T, int N> struct Vector {
    T at[N];
    __host__ __device__ T dot(const Vector &other) const {
        T sum = 0;
#pragma unroll
        for (int i = 0; i < N; i++) sum += at[i] * other.at[i];
        return sum;
    }
};

template <typename T> __host__ __device__ constexpr T power(T base, unsigned exponent) {
    return exponent == 0 ? T(1) : base * power(base, exponent - 1);
}

struct Powers {
    int of[8];
    __host__ __device__ constexpr Powers() : of() {
        for (int i = 0; i < 8; i++) of[i] = power(3, i);
    }
};

template <typename... T> __host__ __device__ auto sum_of(T... values) {
    return (values + ... + 0);
}

template <typename T> __device__ const char *kind() {
    if constexpr (sizeof(T) == 8) return "wide";
    else return "narrow";
}

template <typename T, typename F> __global__ void map(T *p, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = f(i);
}

template <typename T, int N> __global__ void dots(T *out) {
    Vector<T, N> a, b;
    for (int i = 0; i < N; i++) a.at[i] = i + threadIdx.x, b.at[i] = 2;
    out[threadIdx.x] = a.dot(b);
}

template <typename... T> __global__ void sums(long long *out, T... values) {
    *out = sum_of(values...);
}

template <typename T> __global__ void kinds() {
    printf("%s\n", kind<T>());
}

template <typename T, int N> void try_dots() {
    T *p, host[16];
    OK(cudaMalloc(&p, sizeof host));
    dots<T, N><<<1, 16>>>(p);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 16; t++) IS(host[t] == T(N * (N - 1) + 2 * N * t));
    OK(cudaFree(p));
}

struct Twice {
    int offset;
    __device__ int operator()(int i) const { return 2 * i + offset; }
};

int main() {
    try_dots<int, 4>();
    try_dots<float, 5>();
    try_dots<double, 7>();
    try_dots<unsigned char, 3>();
    int *p, host[100];
    OK(cudaMalloc(&p, sizeof host));
    constexpr Powers powers;
    map<<<1, 8>>>(p, 8, [=] __device__(int i) { return powers.of[i]; });
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) IS(host[i] == power(3, i));
    auto both = [] __host__ __device__(int i) { return i * i; };
    map<<<1, 100>>>(p, 100, both);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++) IS(host[i] == both(i));
    map<<<1, 100>>>(p, 100, Twice{7});
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    IS(host[99] == 205);
    long long *total, found;
    OK(cudaMalloc(&total, sizeof *total));
    sums<<<1, 1>>>(total, 1, 2L, (short)3, 4LL, (char)5);
    OK(cudaMemcpy(&found, total, sizeof found, cudaMemcpyDeviceToHost));
    IS(found == 15);
    kinds<double><<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    kinds<float><<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    OK(cudaFree(p));
    OK(cudaFree(total));
    puts("templates are right");
}
