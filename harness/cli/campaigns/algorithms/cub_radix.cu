// CUB: radix sorts of keys and pairs, of a whole array and by segment, into another array and between two buffers.
#include "common.cuh"
#include <cub/cub.cuh>

// Sorts keys, alone and with their places as values, up and down. Values of equal keys keep their order.
template <class Key, bool pairs, bool descending, bool buffers> static bool sorts(int n) {
    std::vector<Key> keys = numbers<Key>(n, 1 << 16);
    for (size_t i = 0; i < keys.size(); i += 3) keys[i] = Key(-keys[i]);
    std::vector<int> places = counting(n);
    Array<Key> keys_in(keys), keys_out(n);
    Array<int> in(places), out(n);
    cub::DoubleBuffer<Key> key_buffers(keys_in.get(), keys_out.get());
    cub::DoubleBuffer<int> value_buffers(in.get(), out.get());
    twice([&](void *w, size_t &b) {
        using Sort = cub::DeviceRadixSort;
        if constexpr (pairs && buffers)
            return descending ? Sort::SortPairsDescending(w, b, key_buffers, value_buffers, n)
                              : Sort::SortPairs(w, b, key_buffers, value_buffers, n);
        else if constexpr (pairs)
            return descending
                       ? Sort::SortPairsDescending(w, b, keys_in.get(), keys_out.get(), in.get(), out.get(), n)
                       : Sort::SortPairs(w, b, keys_in.get(), keys_out.get(), in.get(), out.get(), n);
        else if constexpr (buffers)
            return descending ? Sort::SortKeysDescending(w, b, key_buffers, n) : Sort::SortKeys(w, b, key_buffers, n);
        else
            return descending ? Sort::SortKeysDescending(w, b, keys_in.get(), keys_out.get(), n)
                              : Sort::SortKeys(w, b, keys_in.get(), keys_out.get(), n);
    });
    auto before = [&](int a, int b) { return descending ? keys[b] < keys[a] : keys[a] < keys[b]; };
    std::stable_sort(places.begin(), places.end(), before);
    std::vector<Key> expected;
    for (int place : places) expected.push_back(keys[place]);
    const Array<Key> &sorted_keys = !buffers || key_buffers.Current() == keys_out.get() ? keys_out : keys_in;
    const Array<int> &sorted_values = !buffers || value_buffers.Current() == out.get() ? out : in;
    return sorted_keys.is(expected) && (!pairs || sorted_values.is(places));
}

// The same in segments of uneven lengths.
template <bool pairs, bool descending, bool buffers> static bool sorts_segments(int n) {
    std::vector<int> keys = numbers(n, 1 << 20), places = counting(n), starts = {0};
    for (int i = 0; starts.back() < n; i++) starts.push_back(std::min(n, starts.back() + i * i % 2003));
    int count = int(starts.size()) - 1;
    Array<int> keys_in(keys), keys_out(n), in(places), out(n), offsets(starts);
    cub::DoubleBuffer<int> key_buffers(keys_in.get(), keys_out.get()), value_buffers(in.get(), out.get());
    int *begin = offsets.get();
    twice([&](void *w, size_t &b) {
        using Sort = cub::DeviceSegmentedRadixSort;
        if constexpr (pairs && buffers)
            return descending
                       ? Sort::SortPairsDescending(w, b, key_buffers, value_buffers, n, count, begin, begin + 1)
                       : Sort::SortPairs(w, b, key_buffers, value_buffers, n, count, begin, begin + 1);
        else if constexpr (pairs)
            return descending ? Sort::SortPairsDescending(w, b, keys_in.get(), keys_out.get(), in.get(), out.get(), n,
                                                          count, begin, begin + 1)
                              : Sort::SortPairs(w, b, keys_in.get(), keys_out.get(), in.get(), out.get(), n, count,
                                                begin, begin + 1);
        else if constexpr (buffers)
            return descending ? Sort::SortKeysDescending(w, b, key_buffers, n, count, begin, begin + 1)
                              : Sort::SortKeys(w, b, key_buffers, n, count, begin, begin + 1);
        else
            return descending
                       ? Sort::SortKeysDescending(w, b, keys_in.get(), keys_out.get(), n, count, begin, begin + 1)
                       : Sort::SortKeys(w, b, keys_in.get(), keys_out.get(), n, count, begin, begin + 1);
    });
    auto before = [&](int a, int b) { return descending ? keys[b] < keys[a] : keys[a] < keys[b]; };
    for (int i = 0; i < count; i++)
        std::stable_sort(places.begin() + starts[i], places.begin() + starts[i + 1], before);
    std::vector<int> expected;
    for (int place : places) expected.push_back(keys[place]);
    const Array<int> &sorted_keys = !buffers || key_buffers.Current() == keys_out.get() ? keys_out : keys_in;
    const Array<int> &sorted_values = !buffers || value_buffers.Current() == out.get() ? out : in;
    return sorted_keys.is(expected) && (!pairs || sorted_values.is(places));
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"DeviceRadixSort::SortKeys of bytes", sorts<uint8_t, false, false, false>},
        {"DeviceRadixSort::SortKeys of floats", sorts<float, false, false, true>},
        {"DeviceRadixSort::SortKeysDescending", sorts<int, false, true, false>},
        {"DeviceRadixSort::SortPairs", sorts<int, true, false, false>},
        {"DeviceRadixSort::SortPairs of long long", sorts<long long, true, false, true>},
        {"DeviceRadixSort::SortPairsDescending", sorts<int, true, true, true>},
        {"DeviceSegmentedRadixSort::SortKeys", sorts_segments<false, false, false>},
        {"DeviceSegmentedRadixSort::SortKeysDescending", sorts_segments<false, true, true>},
        {"DeviceSegmentedRadixSort::SortPairs", sorts_segments<true, false, true>},
        {"DeviceSegmentedRadixSort::SortPairsDescending", sorts_segments<true, true, false>},
    });
}
