// CUB: batched copies, loops over indices and elements, histograms, and transformations.
#include "common.cuh"
#include <cub/cub.cuh>
#include <cuda/std/mdspan>

// Lengths of ranges that fill `n` elements: most are short, and some are empty or longer than a tile.
static std::vector<int> lengths(int n) {
    std::vector<int> results;
    for (int i = 0, left = n; left > 0; i++) {
        int length = i % 11 == 10 ? i * i * 17 % 20011 : i * 3 % 37;
        results.push_back(std::min(length, left));
        left -= results.back();
    }
    return results;
}

// Copies ranges of `T`, in reverse order, by a call that takes the ranges and their lengths times `unit`.
template <class T, class Call> static bool copies(int n, int unit, Call call) {
    std::vector<T> values = numbers<T>(n, 100), expected(n);
    std::vector<int> sizes = lengths(n);
    Array<T> in(values), out(n);
    using Pointer = decltype(call.pointer(in.get()));
    std::vector<Pointer> sources, targets;
    int start = 0, end = n;
    for (int &size : sizes) {
        end -= size;
        sources.push_back(in.get() + start);
        targets.push_back(out.get() + end);
        std::copy_n(values.begin() + start, size, expected.begin() + end);
        start += size;
        size *= unit;
    }
    Array<Pointer> from(sources), to(targets);
    Array<int> bytes(sizes);
    twice([&](void *w, size_t &b) { return call(w, b, from.get(), to.get(), bytes.get(), int(sizes.size())); });
    return out.is(expected);
}

struct CopyElements {
    template <class T> static T *pointer(T *at) { return at; }
    template <class... Arguments> cudaError_t operator()(void *w, size_t &b, Arguments... arguments) const {
        return cub::DeviceCopy::Batched(w, b, arguments...);
    }
};

struct CopyBytes {
    template <class T> static void *pointer(T *at) { return at; }
    template <class... Arguments> cudaError_t operator()(void *w, size_t &b, Arguments... arguments) const {
        return cub::DeviceMemcpy::Batched(w, b, arguments...);
    }
};

struct Square {
    int *out;
    __device__ void operator()(int i) { out[i] = i * i; }
};

struct Increment {
    __device__ void operator()(int &value) { value++; }
};

struct Add {
    int *sum;
    __device__ void operator()(int value) { atomicAdd(sum, value); }
};

struct Place {
    int *out;
    __device__ void operator()(int i, int row, int column) { out[i] = 1000 * row + column; }
};

// How many values are in each range [levels[i], levels[i + 1]).
static std::vector<int> counts(const std::vector<int> &values, const std::vector<int> &levels) {
    std::vector<int> results(levels.size() - 1);
    for (int value : values) {
        auto above = std::upper_bound(levels.begin(), levels.end(), value);
        if (above != levels.begin() && above != levels.end()) results[above - levels.begin() - 1]++;
    }
    return results;
}

static std::vector<int> even_levels(int bins, int low, int high) {
    std::vector<int> levels;
    for (int i = 0; i <= bins; i++) levels.push_back(low + (high - low) / bins * i);
    return levels;
}

// The values of one of four channels.
static std::vector<int> channel(const std::vector<uint8_t> &pixels, int which) {
    std::vector<int> values;
    for (size_t i = which; i < pixels.size(); i += 4) values.push_back(pixels[i]);
    return values;
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"DeviceCopy::Batched", [](int n) { return copies<int>(n, 1, CopyElements{}); }},
        {"DeviceMemcpy::Batched", [](int n) { return copies<uint8_t>(n, 1, CopyBytes{}); }},
        {"DeviceMemcpy::Batched of doubles", [](int n) { return copies<double>(n, sizeof(double), CopyBytes{}); }},
        {"DeviceFor::Bulk", [](int n) {
            Array<int> out(n);
            OK(cub::DeviceFor::Bulk(n, Square{out.get()}));
            std::vector<int> expected = counting(n);
            for (int &value : expected) value = int(unsigned(value) * unsigned(value));
            return out.is(expected);
        }},
        {"DeviceFor::ForEach", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values);
            OK(cub::DeviceFor::ForEach(in.get(), in.get() + n, Increment{}));
            for (int &value : values) value++;
            return in.is(values);
        }},
        {"DeviceFor::ForEachN", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values);
            OK(cub::DeviceFor::ForEachN(in.get(), n, Increment{}));
            for (int &value : values) value++;
            return in.is(values);
        }},
        {"DeviceFor::ForEachCopy", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values), sum(std::vector<int>{0});
            OK(cub::DeviceFor::ForEachCopy(in.get(), in.get() + n, Add{sum.get()}));
            return sum.is({std::accumulate(values.begin(), values.end(), 0)});
        }},
        {"DeviceFor::ForEachCopyN", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values), sum(std::vector<int>{0});
            OK(cub::DeviceFor::ForEachCopyN(in.get(), n, Add{sum.get()}));
            return sum.is({std::accumulate(values.begin(), values.end(), 0)});
        }},
        {"DeviceFor::ForEachInExtents", [](int n) {
            int columns = n % 97 + 1, rows = n / columns + 1;
            Array<int> out(size_t(rows) * columns);
            OK(cub::DeviceFor::ForEachInExtents(cuda::std::dextents<int, 2>(rows, columns), Place{out.get()}));
            std::vector<int> expected;
            for (int i = 0; i < rows * columns; i++) expected.push_back(1000 * (i / columns) + i % columns);
            return out.is(expected);
        }},
        {"DeviceHistogram::HistogramEven", [](int n) {
            std::vector<int> values = numbers(n, 1200);
            Array<int> in(values), out(10);
            twice([&](void *w, size_t &b) {
                return cub::DeviceHistogram::HistogramEven(w, b, in.get(), out.get(), 11, 0, 1000, n);
            });
            return out.is(counts(values, even_levels(10, 0, 1000)));
        }},
        {"DeviceHistogram::HistogramEven of bytes", [](int n) {
            std::vector<uint8_t> values = numbers<uint8_t>(n, 256);
            Array<uint8_t> in(values);
            Array<int> out(256);
            twice([&](void *w, size_t &b) {
                return cub::DeviceHistogram::HistogramEven(w, b, in.get(), out.get(), 257, 0, 256, n);
            });
            return out.is(counts({values.begin(), values.end()}, even_levels(256, 0, 256)));
        }},
        {"DeviceHistogram::HistogramEven of many bins", [](int n) {
            std::vector<int> values = numbers(n, 40000);
            Array<int> in(values), out(40000);
            twice([&](void *w, size_t &b) {
                return cub::DeviceHistogram::HistogramEven(w, b, in.get(), out.get(), 40001, 0, 40000, n);
            });
            return out.is(counts(values, even_levels(40000, 0, 40000)));
        }},
        {"DeviceHistogram::HistogramRange", [](int n) {
            std::vector<int> values = numbers(n), levels = {0, 3, 10, 100, 500, 501, 999};
            Array<int> in(values), limits(levels), out(6);
            twice([&](void *w, size_t &b) {
                return cub::DeviceHistogram::HistogramRange(w, b, in.get(), out.get(), 7, limits.get(), n);
            });
            return out.is(counts(values, levels));
        }},
        {"DeviceHistogram::MultiHistogramEven", [](int n) {
            std::vector<uint8_t> pixels = numbers<uint8_t>(4 * n, 256);
            Array<uint8_t> in(pixels);
            Array<int> red(16), green(32), blue(64);
            twice([&](void *w, size_t &b) {
                cuda::std::array<int *, 3> out = {red.get(), green.get(), blue.get()};
                cuda::std::array<int, 3> levels = {17, 33, 65}, low = {0, 0, 0}, high = {256, 256, 256};
                return cub::DeviceHistogram::MultiHistogramEven<4, 3>(w, b, in.get(), out, levels, low, high, n);
            });
            return red.is(counts(channel(pixels, 0), even_levels(16, 0, 256))) &&
                   green.is(counts(channel(pixels, 1), even_levels(32, 0, 256))) &&
                   blue.is(counts(channel(pixels, 2), even_levels(64, 0, 256)));
        }},
        {"DeviceHistogram::MultiHistogramRange", [](int n) {
            std::vector<uint8_t> pixels = numbers<uint8_t>(4 * n, 256);
            std::vector<int> some = {0, 10, 200, 255}, other = {5, 6, 7};
            Array<uint8_t> in(pixels);
            Array<int> red(3), green(2), first(some), second(other);
            twice([&](void *w, size_t &b) {
                cuda::std::array<int *, 2> out = {red.get(), green.get()};
                cuda::std::array<int, 2> levels = {4, 3};
                cuda::std::array<const int *, 2> limits = {first.get(), second.get()};
                return cub::DeviceHistogram::MultiHistogramRange<4, 2>(w, b, in.get(), out, levels, limits, n);
            });
            return red.is(counts(channel(pixels, 0), some)) && green.is(counts(channel(pixels, 1), other));
        }},
        {"DeviceTransform::Transform", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values), out(n);
            OK(cub::DeviceTransform::Transform(in.get(), out.get(), n, Twice{}));
            for (int &value : values) value *= 2;
            return out.is(values);
        }},
        {"DeviceTransform::Transform of bytes and ints", [](int n) {
            std::vector<uint8_t> bytes = numbers<uint8_t>(n + 3, 256);
            std::vector<int> values = numbers(n);
            Array<uint8_t> a(bytes);
            Array<int> b(values), out(n);
            // The bytes begin at an odd address.
            auto inputs = cuda::std::make_tuple(a.get() + 3, b.get());
            OK(cub::DeviceTransform::Transform(inputs, out.get(), n, cuda::std::plus<>{}));
            for (int i = 0; i < n; i++) values[i] += bytes[i + 3];
            return out.is(values);
        }},
        {"DeviceTransform::TransformStableArgumentAddresses", [](int n) {
            std::vector<double> values = numbers<double>(n);
            Array<double> in(values), out(n);
            OK(cub::DeviceTransform::TransformStableArgumentAddresses(in.get(), out.get(), n, Twice{}));
            for (double &value : values) value *= 2;
            return out.is(values);
        }},
    });
}
