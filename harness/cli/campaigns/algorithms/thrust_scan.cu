// Thrust: scans, also by key and in place, and differences of neighbours.
#include "thrust.cuh"
#include <thrust/adjacent_difference.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>

// A scan of all values: one by key with one key.
template <class Function>
static std::vector<int> scan(const std::vector<int> &values, bool exclusive, int start, Function function) {
    return by_key(std::vector<int>(values.size()), values, exclusive, start, function);
}

struct Pairs {
    std::vector<int> keys, values;
    Vector<int> k, v, out;
    explicit Pairs(int n)
        : keys(sorted(n, n / 9 + 1)), values(numbers(n)), k(up(keys)), v(up(values)), out(unset(n)) {}
};

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"inclusive_scan", [](int n) {
            Pairs a(n);
            thrust::inclusive_scan(a.v.begin(), a.v.end(), a.out.begin());
            return is(a.out, scan(a.values, false, 0, std::plus<>{}));
        }},
        {"inclusive_scan in place", [](int n) {
            Pairs a(n);
            thrust::inclusive_scan(a.v.begin(), a.v.end(), a.v.begin(), thrust::maximum<int>());
            return is(a.v, scan(a.values, false, -1, greater));
        }},
        {"inclusive_scan with an initial value", [](int n) {
            Pairs a(n);
            thrust::inclusive_scan(a.v.begin(), a.v.end(), a.out.begin(), 50, thrust::maximum<int>());
            return is(a.out, scan(a.values, false, 50, greater));
        }},
        {"exclusive_scan", [](int n) {
            Pairs a(n);
            thrust::exclusive_scan(a.v.begin(), a.v.end(), a.out.begin(), 7);
            return is(a.out, scan(a.values, true, 7, std::plus<>{}));
        }},
        {"exclusive_scan in place", [](int n) {
            Pairs a(n);
            thrust::exclusive_scan(a.v.begin(), a.v.end(), a.v.begin(), -3, thrust::maximum<int>());
            return is(a.v, scan(a.values, true, -3, greater));
        }},
        {"transform_inclusive_scan", [](int n) {
            Pairs a(n);
            thrust::transform_inclusive_scan(a.v.begin(), a.v.end(), a.out.begin(), Twice{}, thrust::plus<int>());
            return is(a.out, scan(a.values, false, 0, [](int sum, int x) { return sum + 2 * x; }));
        }},
        {"transform_exclusive_scan", [](int n) {
            Pairs a(n);
            thrust::transform_exclusive_scan(a.v.begin(), a.v.end(), a.out.begin(), Twice{}, 4, thrust::plus<int>());
            return is(a.out, scan(a.values, true, 4, [](int sum, int x) { return sum + 2 * x; }));
        }},
        {"inclusive_scan_by_key", [](int n) {
            Pairs a(n);
            thrust::inclusive_scan_by_key(a.k.begin(), a.k.end(), a.v.begin(), a.out.begin());
            return is(a.out, by_key(a.keys, a.values, false, 0, std::plus<>{}));
        }},
        {"inclusive_scan_by_key in place", [](int n) {
            Pairs a(n);
            thrust::inclusive_scan_by_key(a.k.begin(), a.k.end(), a.v.begin(), a.v.begin());
            return is(a.v, by_key(a.keys, a.values, false, 0, std::plus<>{}));
        }},
        {"exclusive_scan_by_key", [](int n) {
            Pairs a(n);
            thrust::exclusive_scan_by_key(a.k.begin(), a.k.end(), a.v.begin(), a.out.begin(), 9);
            return is(a.out, by_key(a.keys, a.values, true, 9, std::plus<>{}));
        }},
        {"adjacent_difference", [](int n) {
            Pairs a(n);
            std::vector<int> expected(n);
            std::adjacent_difference(a.values.begin(), a.values.end(), expected.begin());
            thrust::adjacent_difference(a.v.begin(), a.v.end(), a.out.begin());
            return is(a.out, expected);
        }},
        {"adjacent_difference in place", [](int n) {
            Pairs a(n);
            std::vector<int> expected(n);
            std::adjacent_difference(a.values.begin(), a.values.end(), expected.begin());
            thrust::adjacent_difference(a.v.begin(), a.v.end(), a.v.begin());
            return is(a.v, expected);
        }},
    });
}
