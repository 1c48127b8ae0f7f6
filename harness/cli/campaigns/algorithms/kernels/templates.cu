// Templates and lambdas: reductions of any type and length, functions as arguments, recursion over types.
#include "../common.cuh"

template <class T, int SIZE> struct Few {
    T values[SIZE];
    __host__ __device__ T &operator[](int i) { return values[i]; }
    __host__ __device__ const T &operator[](int i) const { return values[i]; }
    __host__ __device__ friend Few operator+(Few a, const Few &b) {
        for (int i = 0; i < SIZE; i++) a[i] += b[i];
        return a;
    }
    bool operator==(const Few &other) const { return std::equal(values, values + SIZE, other.values); }
};

// One result for each block, in shared memory of raw bytes.
template <int BLOCK, class T, class Function>
__global__ void reduce(const T *in, T *out, int n, T zero, Function function) {
    __shared__ alignas(T) unsigned char bytes[BLOCK * sizeof(T)];
    T *values = reinterpret_cast<T *>(bytes);
    T value = zero;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) value = function(value, in[i]);
    values[threadIdx.x] = value;
    __syncthreads();
#pragma unroll
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) values[threadIdx.x] = function(values[threadIdx.x], values[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = values[0];
}

template <class Function> __global__ void each(int n, Function function) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) function(i);
}

// The sum of all arrays, each of its own type.
template <class First, class... Rest> __device__ double total(int i, const First *first, const Rest *...rest) {
    if constexpr (sizeof...(rest) == 0) return double(first[i]);
    else return double(first[i]) + total(i, rest...);
}

template <class... Arrays> __global__ void totals(int n, double *out, const Arrays *...arrays) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = total(i, arrays...);
}

struct Sum {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a + b; }
};

static bool evaluates(int n) {
    std::vector<int> values = numbers(n), expected(n);
    Array<int> in(values), out(n);
    const int *from = in.get();
    int *to = out.get(), factor = 3;
    each<<<(n + 63) / 64, 64>>>(n, [=] __device__(int i) { to[n - 1 - i] = factor * from[i]; });
    for (int i = 0; i < n; i++) expected[n - 1 - i] = factor * values[i];
    return out.is(expected);
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"reduce", [](int n) {
            using Five = Few<int, 5>;
            std::vector<Five> values(n);
            std::vector<int> all = numbers(5 * n);
            for (int i = 0; i < 5 * n; i++) values[i / 5][i % 5] = all[i];
            Array<Five> in(values), partial(10), out(1);
            reduce<128><<<10, 128>>>(in.get(), partial.get(), n, Five{}, Sum{});
            reduce<32><<<1, 32>>>(partial.get(), out.get(), 10, Five{}, Sum{});
            return out.is({std::accumulate(values.begin(), values.end(), Five{})});
        }},
        {"each", evaluates},
        {"totals", [](int n) {
            std::vector<int> a = numbers(n);
            std::vector<float> b = numbers<float>(n, 1000, 2);
            std::vector<signed char> c = numbers<signed char>(n, 100, 3);
            std::vector<double> expected;
            for (int i = 0; i < n; i++) expected.push_back(double(a[i]) + b[i] + c[i]);
            Array<int> da(a);
            Array<float> db(b);
            Array<signed char> dc(c);
            Array<double> out(n);
            totals<int, float, signed char><<<(n + 63) / 64, 64>>>(n, out.get(), da.get(), db.get(), dc.get());
            return out.is(expected);
        }},
    });
}
