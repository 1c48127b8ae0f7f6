// What the programs of this campaign share: sizes from the command line, calls that must succeed, and arrays in device
// memory that are compared with those of the C++ standard library.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t code_ = (call);                                                                                    \
        if (code_ != cudaSuccess) {                                                                                    \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(code_));                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// An array in device memory. The memory of one without values is not set, so that reading it is a finding.
template <class T> class Array {
    T *start = nullptr;
    size_t count;

  public:
    explicit Array(size_t count) : count(count) { OK(cudaMalloc(&start, std::max(count, size_t(1)) * sizeof(T))); }
    Array(const std::vector<T> &values) : Array(values.size()) {
        OK(cudaMemcpy(start, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    Array(const Array &) = delete;
    ~Array() { OK(cudaFree(start)); }
    T *get() const { return start; }
    size_t size() const { return count; }
    // The first `some` elements.
    std::vector<T> first(size_t some) const {
        std::vector<T> values(some);
        OK(cudaDeviceSynchronize());
        OK(cudaMemcpy(values.data(), start, some * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
    // Whether the array begins with `values`.
    bool is(const std::vector<T> &values) const { return first(values.size()) == values; }
};

// Pseudo-random integers from 0 up to, but not including, `limit`.
template <class T = int> std::vector<T> numbers(int n, int limit = 1000, unsigned seed = 1) {
    std::vector<T> values(n);
    for (T &value : values) value = T(((seed = seed * 1664525 + 1013904223) >> 8) % unsigned(limit));
    return values;
}

// The same in ascending order.
template <class T = int> std::vector<T> sorted(int n, int limit = 1000, unsigned seed = 1) {
    std::vector<T> values = numbers<T>(n, limit, seed);
    std::sort(values.begin(), values.end());
    return values;
}

// The numbers from 0 on.
template <class T = int> std::vector<T> counting(int n) {
    std::vector<T> values(n);
    std::iota(values.begin(), values.end(), T(0));
    return values;
}

// Calls an algorithm of CUB twice: for the size of its temporary storage, and for its result.
template <class Call> void twice(Call call) {
    size_t bytes = 0;
    OK(call(static_cast<void *>(nullptr), bytes));
    Array<char> storage(bytes);
    OK(call(static_cast<void *>(storage.get()), bytes));
    OK(cudaDeviceSynchronize());
}

struct IsOdd {
    __host__ __device__ bool operator()(int value) const { return value % 2 != 0; }
};

struct Twice {
    __host__ __device__ int operator()(int value) const { return 2 * value; }
    __host__ __device__ double operator()(double value) const { return 2 * value; }
};

struct Below {
    int limit;
    __host__ __device__ bool operator()(int value) const { return value < limit; }
};

// A comparison that a radix sort cannot make: odd numbers first, each kind in descending order.
struct OddFirst {
    template <class T> __host__ __device__ bool operator()(T a, T b) const {
        bool odd_a = int(a) % 2 != 0, odd_b = int(b) % 2 != 0;
        return odd_a != odd_b ? odd_a : b < a;
    }
};

// An element of 12 bytes, three of which are padding.
struct Record {
    int key;
    char letter;
    float weight;
    __host__ __device__ bool operator<(const Record &other) const { return key < other.key; }
    __host__ __device__ bool operator==(const Record &other) const {
        return key == other.key && letter == other.letter && weight == other.weight;
    }
};

inline std::vector<Record> records(int n, int limit = 1000) {
    std::vector<int> keys = numbers(n, limit, 5);
    std::vector<Record> values(n);
    for (int i = 0; i < n; i++) values[i] = {keys[i], char('a' + i % 26), float(i)};
    return values;
}

// The scan of each group of equal neighbouring keys, which begins with `start`.
template <class Function>
std::vector<int> by_key(const std::vector<int> &keys, const std::vector<int> &values, bool exclusive, int start,
                        Function function) {
    std::vector<int> results;
    int sum = start;
    for (size_t i = 0; i < keys.size(); i++) {
        if (i > 0 && keys[i] != keys[i - 1]) sum = start;
        int next = function(sum, values[i]);
        results.push_back(exclusive ? sum : next);
        sum = next;
    }
    return results;
}

inline int greater(int a, int b) { return std::max(a, b); }

struct Algorithm {
    const char *name;
    // Runs it on n elements, and returns whether the answer is right.
    bool (*is_right)(int n);
};

// Runs all algorithms, or those that the command line names, at the sizes there. Returns the exit status.
inline int run(int argc, char **argv, const std::vector<Algorithm> &algorithms) {
    std::vector<int> sizes;
    std::vector<std::string> names;
    for (int i = 1; i < argc; i++) {
        if (int n = atoi(argv[i])) sizes.push_back(n);
        else names.push_back(argv[i]);
    }
    if (sizes.empty()) sizes = {1, 33, 1000, 20000, 100003};
    int wrong = 0;
    for (const Algorithm &algorithm : algorithms) {
        if (!names.empty() && std::find(names.begin(), names.end(), algorithm.name) == names.end()) continue;
        for (int n : sizes) {
            bool right = algorithm.is_right(n);
            wrong += !right;
            printf("%s %s %d\n", right ? "ok" : "WRONG", algorithm.name, n);
            fflush(stdout);
        }
    }
    return wrong != 0;
}
