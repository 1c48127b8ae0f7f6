// CUB: merge sorts of keys and pairs, and merges.
#include "common.cuh"
#include <cub/cub.cuh>

// The places of the keys in the order that a stable sort gives them.
template <class Key> static std::vector<int> order(const std::vector<Key> &keys) {
    std::vector<int> places = counting(int(keys.size()));
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return OddFirst{}(keys[a], keys[b]); });
    return places;
}

template <class T> static std::vector<T> at(const std::vector<T> &values, const std::vector<int> &places) {
    std::vector<T> results;
    for (int place : places) results.push_back(values[place]);
    return results;
}

// Sorts in place by `sort`, with the places as values.
template <class Key, class Sort> static bool sorts_pairs(int n, bool stable, Sort sort) {
    std::vector<Key> keys = numbers<Key>(n, stable ? 100 : 1 << 22);
    std::vector<int> places = counting(n), expected = order(keys);
    Array<Key> k(keys);
    Array<int> v(places);
    twice([&](void *w, size_t &b) { return sort(w, b, k.get(), v.get(), n); });
    // The values of equal keys may be in any order, but each must still belong to its key.
    std::vector<int> moved = v.first(n), all = moved;
    std::sort(all.begin(), all.end());
    return k.is(at(keys, expected)) && at(keys, moved) == at(keys, expected) && all == places &&
           (!stable || moved == expected);
}

int main(int argc, char **argv) {
    using Sort = cub::DeviceMergeSort;
    return run(argc, argv, {
        {"DeviceMergeSort::SortKeys", [](int n) {
            std::vector<int> keys = numbers(n, 1 << 20);
            Array<int> k(keys);
            twice([&](void *w, size_t &b) { return Sort::SortKeys(w, b, k.get(), n, OddFirst{}); });
            return k.is(at(keys, order(keys)));
        }},
        {"DeviceMergeSort::SortKeys of records", [](int n) {
            std::vector<Record> keys = records(n, 1 << 20);
            Array<Record> k(keys);
            twice([&](void *w, size_t &b) { return Sort::SortKeys(w, b, k.get(), n, cuda::std::less<>{}); });
            std::vector<Record> sorted = k.first(n);
            return std::is_sorted(sorted.begin(), sorted.end());
        }},
        {"DeviceMergeSort::SortKeysCopy", [](int n) {
            std::vector<long long> keys = numbers<long long>(n, 1 << 20);
            Array<long long> in(keys), out(n);
            twice([&](void *w, size_t &b) { return Sort::SortKeysCopy(w, b, in.get(), out.get(), n, OddFirst{}); });
            return out.is(at(keys, order(keys)));
        }},
        {"DeviceMergeSort::StableSortKeys", [](int n) {
            std::vector<short> keys = numbers<short>(n, 30000);
            Array<short> k(keys);
            twice([&](void *w, size_t &b) { return Sort::StableSortKeys(w, b, k.get(), n, OddFirst{}); });
            return k.is(at(keys, order(keys)));
        }},
        {"DeviceMergeSort::StableSortKeysCopy", [](int n) {
            std::vector<uint8_t> keys = numbers<uint8_t>(n, 256);
            Array<uint8_t> in(keys), out(n);
            twice([&](void *w, size_t &b) {
                return Sort::StableSortKeysCopy(w, b, in.get(), out.get(), n, OddFirst{});
            });
            return out.is(at(keys, order(keys)));
        }},
        {"DeviceMergeSort::SortPairs", [](int n) {
            return sorts_pairs<int>(n, false, [](void *w, size_t &b, int *keys, int *values, int n) {
                return Sort::SortPairs(w, b, keys, values, n, OddFirst{});
            });
        }},
        {"DeviceMergeSort::StableSortPairs", [](int n) {
            return sorts_pairs<double>(n, true, [](void *w, size_t &b, double *keys, int *values, int n) {
                return Sort::StableSortPairs(w, b, keys, values, n, OddFirst{});
            });
        }},
        {"DeviceMergeSort::SortPairsCopy", [](int n) {
            std::vector<int> keys = numbers(n, 1 << 22), places = counting(n), expected = order(keys);
            Array<int> keys_in(keys), in(places), keys_out(n), out(n);
            twice([&](void *w, size_t &b) {
                return Sort::SortPairsCopy(w, b, keys_in.get(), in.get(), keys_out.get(), out.get(), n, OddFirst{});
            });
            return keys_out.is(at(keys, expected)) && at(keys, out.first(n)) == at(keys, expected);
        }},
        {"DeviceMerge::MergeKeys", [](int n) {
            int m = n / 3 + 5;
            std::vector<int> first = sorted(n, n + 1), second = sorted(m, n + 1, 2), expected(n + m);
            std::merge(first.begin(), first.end(), second.begin(), second.end(), expected.begin());
            Array<int> a(first), b(second), out(n + m);
            twice([&](void *w, size_t &bytes) {
                return cub::DeviceMerge::MergeKeys(w, bytes, a.get(), n, b.get(), m, out.get());
            });
            return out.is(expected);
        }},
        {"DeviceMerge::MergePairs", [](int n) {
            int m = n / 2 + 1;
            std::vector<int> first = sorted(n, n + 1), second = sorted(m, n + 1, 2), keys = first;
            keys.insert(keys.end(), second.begin(), second.end());
            std::vector<int> places = counting(n + m), later(places.begin() + n, places.end());
            std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return keys[a] < keys[b]; });
            Array<int> a(first), b(second), va(counting(n)), vb(later), keys_out(n + m), out(n + m);
            twice([&](void *w, size_t &bytes) {
                return cub::DeviceMerge::MergePairs(w, bytes, a.get(), va.get(), n, b.get(), vb.get(), m,
                                                    keys_out.get(), out.get());
            });
            return keys_out.is(at(keys, places)) && out.is(places);
        }},
    });
}
