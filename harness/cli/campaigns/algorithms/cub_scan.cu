// CUB: scans of a whole array and by key, also in place, and differences of neighbours.
#include "common.cuh"
#include <cub/cub.cuh>

// The scan of a whole array.
template <class T, class Function>
static std::vector<T> scan(const std::vector<T> &values, bool exclusive, T start, Function function) {
    std::vector<T> results;
    for (T value : values) {
        T next = function(start, value);
        results.push_back(exclusive ? start : next);
        start = next;
    }
    return results;
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"DeviceScan::ExclusiveSum", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values), out(n);
            twice([&](void *w, size_t &b) { return cub::DeviceScan::ExclusiveSum(w, b, in.get(), out.get(), n); });
            return out.is(scan(values, true, 0, std::plus<>{}));
        }},
        {"DeviceScan::ExclusiveSum in place", [](int n) {
            std::vector<long long> values = numbers<long long>(n);
            Array<long long> in(values);
            twice([&](void *w, size_t &b) { return cub::DeviceScan::ExclusiveSum(w, b, in.get(), n); });
            return in.is(scan(values, true, 0LL, std::plus<>{}));
        }},
        {"DeviceScan::InclusiveSum", [](int n) {
            std::vector<uint8_t> values = numbers<uint8_t>(n, 256);
            Array<uint8_t> in(values), out(n);
            twice([&](void *w, size_t &b) { return cub::DeviceScan::InclusiveSum(w, b, in.get(), out.get(), n); });
            return out.is(scan(values, false, uint8_t(0), std::plus<>{}));
        }},
        {"DeviceScan::InclusiveSum in place", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values);
            twice([&](void *w, size_t &b) { return cub::DeviceScan::InclusiveSum(w, b, in.get(), n); });
            return in.is(scan(values, false, 0, std::plus<>{}));
        }},
        {"DeviceScan::ExclusiveScan", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Array<int> in(values), out(n);
            twice([&](void *w, size_t &b) {
                return cub::DeviceScan::ExclusiveScan(w, b, in.get(), out.get(), cuda::maximum<>{}, 5, n);
            });
            return out.is(scan(values, true, 5, greater));
        }},
        {"DeviceScan::ExclusiveScan with a later initial value", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Array<int> in(values), out(n), initial(std::vector<int>{9});
            auto later = cub::FutureValue<int>(initial.get());
            twice([&](void *w, size_t &b) {
                return cub::DeviceScan::ExclusiveScan(w, b, in.get(), out.get(), cuda::maximum<>{}, later, n);
            });
            return out.is(scan(values, true, 9, greater));
        }},
        {"DeviceScan::InclusiveScan", [](int n) {
            std::vector<double> values = numbers<double>(n, 1 << 20);
            Array<double> in(values), out(n);
            twice([&](void *w, size_t &b) {
                return cub::DeviceScan::InclusiveScan(w, b, in.get(), out.get(), cuda::maximum<>{}, n);
            });
            return out.is(scan(values, false, -1.0, [](double a, double b) { return std::max(a, b); }));
        }},
        {"DeviceScan::InclusiveScanInit", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Array<int> in(values), out(n);
            twice([&](void *w, size_t &b) {
                return cub::DeviceScan::InclusiveScanInit(w, b, in.get(), out.get(), cuda::maximum<>{}, 99, n);
            });
            return out.is(scan(values, false, 99, greater));
        }},
        {"DeviceScan::ExclusiveSumByKey", [](int n) {
            std::vector<int> keys = sorted(n, n / 9 + 1), values = numbers(n);
            Array<int> k(keys), in(values), out(n);
            twice([&](void *w, size_t &b) {
                return cub::DeviceScan::ExclusiveSumByKey(w, b, k.get(), in.get(), out.get(), n);
            });
            return out.is(by_key(keys, values, true, 0, std::plus<>{}));
        }},
        {"DeviceScan::InclusiveSumByKey in place", [](int n) {
            std::vector<int> keys = sorted(n, n / 9 + 1), values = numbers(n);
            Array<int> k(keys), in(values);
            twice([&](void *w, size_t &b) {
                return cub::DeviceScan::InclusiveSumByKey(w, b, k.get(), in.get(), in.get(), n);
            });
            return in.is(by_key(keys, values, false, 0, std::plus<>{}));
        }},
        {"DeviceScan::ExclusiveScanByKey", [](int n) {
            std::vector<int> keys = sorted(n, n / 99 + 1), values = numbers(n);
            Array<int> k(keys), in(values), out(n);
            twice([&](void *w, size_t &b) {
                return cub::DeviceScan::ExclusiveScanByKey(w, b, k.get(), in.get(), out.get(), cuda::maximum<>{}, 7, n);
            });
            return out.is(by_key(keys, values, true, 7, greater));
        }},
        {"DeviceScan::InclusiveScanByKey", [](int n) {
            std::vector<int> keys = sorted(n, n / 99 + 1), values = numbers(n);
            Array<int> k(keys), in(values), out(n);
            twice([&](void *w, size_t &b) {
                return cub::DeviceScan::InclusiveScanByKey(w, b, k.get(), in.get(), out.get(), cuda::maximum<>{}, n);
            });
            return out.is(by_key(keys, values, false, -1, greater));
        }},
        {"DeviceAdjacentDifference::SubtractLeftCopy", [](int n) {
            std::vector<int> values = numbers(n), expected(n);
            std::adjacent_difference(values.begin(), values.end(), expected.begin());
            Array<int> in(values), out(n);
            twice([&](void *w, size_t &b) {
                return cub::DeviceAdjacentDifference::SubtractLeftCopy(w, b, in.get(), out.get(), n);
            });
            return out.is(expected);
        }},
        {"DeviceAdjacentDifference::SubtractLeft", [](int n) {
            std::vector<int> values = numbers(n), expected(n);
            std::adjacent_difference(values.begin(), values.end(), expected.begin());
            Array<int> in(values);
            twice([&](void *w, size_t &b) { return cub::DeviceAdjacentDifference::SubtractLeft(w, b, in.get(), n); });
            return in.is(expected);
        }},
        {"DeviceAdjacentDifference::SubtractRightCopy", [](int n) {
            std::vector<int> values = numbers(n), expected = values;
            for (int i = 0; i + 1 < n; i++) expected[i] = values[i] - values[i + 1];
            Array<int> in(values), out(n);
            twice([&](void *w, size_t &b) {
                return cub::DeviceAdjacentDifference::SubtractRightCopy(w, b, in.get(), out.get(), n);
            });
            return out.is(expected);
        }},
        {"DeviceAdjacentDifference::SubtractRight", [](int n) {
            std::vector<int> values = numbers(n), expected = values;
            for (int i = 0; i + 1 < n; i++) expected[i] = values[i] - values[i + 1];
            Array<int> in(values);
            twice([&](void *w, size_t &b) { return cub::DeviceAdjacentDifference::SubtractRight(w, b, in.get(), n); });
            return in.is(expected);
        }},
    });
}
