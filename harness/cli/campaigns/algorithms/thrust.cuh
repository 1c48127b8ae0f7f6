// What the programs of Thrust's algorithms share besides: vectors in device memory.
#pragma once
#include "common.cuh"
#include <thrust/device_vector.h>
#include <thrust/functional.h>

// Allocates device memory that is not set, so that reading it is a finding.
template <class T> struct UnsetAllocator : thrust::device_allocator<T> {
    template <class U> struct rebind {
        using other = UnsetAllocator<U>;
    };
    __host__ UnsetAllocator() {}
    __host__ UnsetAllocator(const UnsetAllocator &other) : thrust::device_allocator<T>(other) {}
    __host__ ~UnsetAllocator() {}
    UnsetAllocator &operator=(const UnsetAllocator &) = default;
    __host__ __device__ void construct(T *) {}
};

template <class T> using Vector = thrust::device_vector<T, UnsetAllocator<T>>;

template <class T> Vector<T> up(const std::vector<T> &values) { return Vector<T>(values.begin(), values.end()); }

// A vector whose memory is not set.
template <class T = int> Vector<T> unset(size_t count) { return Vector<T>(count); }

// Whether a vector begins with `values`.
template <class T> bool is(const Vector<T> &vector, const std::vector<T> &values) {
    std::vector<T> first(values.size());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(first.data(), thrust::raw_pointer_cast(vector.data()), values.size() * sizeof(T),
                  cudaMemcpyDeviceToHost));
    return first == values;
}

// Whether the first elements, up to `end`, are exactly `values`.
template <class T, class Iterator>
bool is(const Vector<T> &vector, Iterator end, const std::vector<T> &values) {
    return size_t(end - vector.begin()) == values.size() && is(vector, values);
}
