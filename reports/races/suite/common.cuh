// What the programs share: a call that must succeed, arrays on the device, and the report of the answer.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t code_ = (call);                                                                                    \
        if (code_ != cudaSuccess) {                                                                                    \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(code_));                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// The arrays on the device, which answer() frees.
inline std::vector<void *> arrays;

// Returns a copy of `values` on the device.
template <class T> T *on_device(const std::vector<T> &values) {
    T *copy;
    OK(cudaMalloc(&copy, values.size() * sizeof(T)));
    arrays.push_back(copy);
    OK(cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return copy;
}

// Returns the `n` elements of an array on the device, after all kernels have ended.
template <class T> std::vector<T> on_host(const T *array, size_t n) {
    std::vector<T> copy(n);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(copy.data(), array, n * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
}

// Returns `n` numbers below 1000.
inline std::vector<int> numbers(int n) {
    std::vector<int> values(n);
    unsigned state = 7;
    for (int &value : values) value = (state = state * 1664525u + 1013904223u) / 65536 % 1000;
    return values;
}

// Frees the arrays, and prints whether the answer is right. The exit status is 0 in both cases: any other one comes from a tool or an error.
inline int answer(bool right) {
    for (void *array : arrays) OK(cudaFree(array));
    printf("answer: %s\n", right ? "right" : "wrong");
    return 0;
}
