// Thrust: sorts by radix and by merging, merges, and questions about order.
#include "thrust.cuh"
#include <thrust/merge.h>
#include <thrust/sort.h>

template <class Compare> static std::vector<int> order(const std::vector<int> &keys, Compare compare) {
    std::vector<int> places = counting(int(keys.size()));
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return compare(keys[a], keys[b]); });
    return places;
}

template <class T> static std::vector<T> at(const std::vector<T> &values, const std::vector<int> &places) {
    std::vector<T> results;
    for (int place : places) results.push_back(values[place]);
    return results;
}

template <class Compare> static bool sorts_pairs(int n, bool stable, Compare compare) {
    std::vector<int> keys = numbers(n, 100), places = counting(n), expected = order(keys, compare);
    Vector<int> k = up(keys), v = up(places);
    if (stable) thrust::stable_sort_by_key(k.begin(), k.end(), v.begin(), compare);
    else thrust::sort_by_key(k.begin(), k.end(), v.begin(), compare);
    std::vector<int> moved(n);
    thrust::copy(v.begin(), v.end(), moved.begin());
    return is(k, at(keys, expected)) && at(keys, moved) == at(keys, expected) && (!stable || moved == expected);
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"sort", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Vector<int> v = up(values);
            thrust::sort(v.begin(), v.end());
            std::sort(values.begin(), values.end());
            return is(v, values);
        }},
        {"sort of doubles, descending", [](int n) {
            std::vector<double> values = numbers<double>(n, 1 << 20);
            Vector<double> v = up(values);
            thrust::sort(v.begin(), v.end(), thrust::greater<double>());
            std::sort(values.rbegin(), values.rend());
            return is(v, values);
        }},
        {"sort by a comparison", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Vector<int> v = up(values);
            thrust::sort(v.begin(), v.end(), OddFirst{});
            std::sort(values.begin(), values.end(), OddFirst{});
            return is(v, values);
        }},
        {"stable_sort", [](int n) {
            std::vector<uint8_t> values = numbers<uint8_t>(n, 256);
            Vector<uint8_t> v = up(values);
            thrust::stable_sort(v.begin(), v.end());
            std::sort(values.begin(), values.end());
            return is(v, values);
        }},
        {"stable_sort of records", [](int n) {
            std::vector<Record> values = records(n, 50);
            Vector<Record> v = up(values);
            thrust::stable_sort(v.begin(), v.end());
            std::stable_sort(values.begin(), values.end());
            return is(v, values);
        }},
        {"sort_by_key", [](int n) { return sorts_pairs(n, false, thrust::less<int>()); }},
        {"sort_by_key by a comparison", [](int n) { return sorts_pairs(n, false, OddFirst{}); }},
        {"stable_sort_by_key", [](int n) { return sorts_pairs(n, true, thrust::greater<int>()); }},
        {"stable_sort_by_key by a comparison", [](int n) { return sorts_pairs(n, true, OddFirst{}); }},
        {"merge", [](int n) {
            int m = n / 3 + 5;
            std::vector<int> a = sorted(n, n + 1), b = sorted(m, n + 1, 2), expected(n + m);
            std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
            Vector<int> va = up(a), vb = up(b), out = unset(n + m);
            auto end = thrust::merge(va.begin(), va.end(), vb.begin(), vb.end(), out.begin());
            return is(out, end, expected);
        }},
        {"merge_by_key", [](int n) {
            int m = n / 2 + 1;
            std::vector<int> a = sorted(n, n + 1), b = sorted(m, n + 1, 2), keys = a;
            keys.insert(keys.end(), b.begin(), b.end());
            std::vector<int> places = order(keys, std::less<int>()), all = counting(n + m);
            Vector<int> ka = up(a), kb = up(b), values = up(all), keys_out = unset(n + m), out = unset(n + m);
            auto ends = thrust::merge_by_key(ka.begin(), ka.end(), kb.begin(), kb.end(), values.begin(),
                                             values.begin() + n, keys_out.begin(), out.begin());
            return is(keys_out, ends.first, at(keys, places)) && is(out, ends.second, places);
        }},
        {"is_sorted", [](int n) {
            Vector<int> up_to = up(sorted(n, n)), mixed = up(numbers(n, 1 << 20));
            std::vector<int> host = numbers(n, 1 << 20);
            return thrust::is_sorted(up_to.begin(), up_to.end()) &&
                   thrust::is_sorted(mixed.begin(), mixed.end()) == std::is_sorted(host.begin(), host.end());
        }},
        {"is_sorted_until", [](int n) {
            std::vector<int> values = sorted(n, n + 5);
            if (n > 3) values[n - n / 3] = -1;
            Vector<int> v = up(values);
            return thrust::is_sorted_until(v.begin(), v.end()) - v.begin() ==
                   std::is_sorted_until(values.begin(), values.end()) - values.begin();
        }},
    });
}
