// CUB: sorts by segment, for segments of any length.
#include "common.cuh"
#include <cub/cub.cuh>

// Sorts segments of lengths from 0 to 9,000, most of which are short, with the places as values.
template <bool pairs, bool descending, bool stable, bool buffers> static bool sorts(int n) {
    std::vector<int> keys = numbers(n, 1 << 16), places = counting(n), starts = {0};
    for (int i = 0; starts.back() < n; i++) {
        int length = i % 7 == 6 ? i * i * 13 % 9001 : i * 5 % 61;
        starts.push_back(std::min(n, starts.back() + length));
    }
    int count = int(starts.size()) - 1;
    Array<int> keys_in(keys), keys_out(n), in(places), out(n), offsets(starts);
    cub::DoubleBuffer<int> key_buffers(keys_in.get(), keys_out.get()), value_buffers(in.get(), out.get());
    int *begin = offsets.get(), *end = begin + 1;
    twice([&](void *w, size_t &b) {
        using Sort = cub::DeviceSegmentedSort;
        int *ki = keys_in.get(), *ko = keys_out.get(), *vi = in.get(), *vo = out.get();
        if constexpr (pairs && buffers) {
            auto &k = key_buffers, &v = value_buffers;
            if constexpr (stable)
                return descending ? Sort::StableSortPairsDescending(w, b, k, v, n, count, begin, end)
                                  : Sort::StableSortPairs(w, b, k, v, n, count, begin, end);
            else
                return descending ? Sort::SortPairsDescending(w, b, k, v, n, count, begin, end)
                                  : Sort::SortPairs(w, b, k, v, n, count, begin, end);
        } else if constexpr (pairs) {
            if constexpr (stable)
                return descending ? Sort::StableSortPairsDescending(w, b, ki, ko, vi, vo, n, count, begin, end)
                                  : Sort::StableSortPairs(w, b, ki, ko, vi, vo, n, count, begin, end);
            else
                return descending ? Sort::SortPairsDescending(w, b, ki, ko, vi, vo, n, count, begin, end)
                                  : Sort::SortPairs(w, b, ki, ko, vi, vo, n, count, begin, end);
        } else if constexpr (buffers) {
            auto &k = key_buffers;
            if constexpr (stable)
                return descending ? Sort::StableSortKeysDescending(w, b, k, n, count, begin, end)
                                  : Sort::StableSortKeys(w, b, k, n, count, begin, end);
            else
                return descending ? Sort::SortKeysDescending(w, b, k, n, count, begin, end)
                                  : Sort::SortKeys(w, b, k, n, count, begin, end);
        } else {
            if constexpr (stable)
                return descending ? Sort::StableSortKeysDescending(w, b, ki, ko, n, count, begin, end)
                                  : Sort::StableSortKeys(w, b, ki, ko, n, count, begin, end);
            else
                return descending ? Sort::SortKeysDescending(w, b, ki, ko, n, count, begin, end)
                                  : Sort::SortKeys(w, b, ki, ko, n, count, begin, end);
        }
    });
    const Array<int> &sorted_keys = !buffers || key_buffers.Current() == keys_out.get() ? keys_out : keys_in;
    const Array<int> &sorted_values = !buffers || value_buffers.Current() == out.get() ? out : in;
    std::vector<int> moved = sorted_values.first(pairs ? n : 0), expected;
    auto before = [&](int a, int b) { return descending ? keys[b] < keys[a] : keys[a] < keys[b]; };
    for (int i = 0; i < count; i++)
        std::stable_sort(places.begin() + starts[i], places.begin() + starts[i + 1], before);
    for (int place : places) expected.push_back(keys[place]);
    bool right = sorted_keys.is(expected);
    for (size_t i = 0; i < moved.size(); i++) right &= keys[moved[i]] == expected[i];
    return right && (!pairs || !stable || moved == places);
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"DeviceSegmentedSort::SortKeys", sorts<false, false, false, false>},
        {"DeviceSegmentedSort::SortKeysDescending", sorts<false, true, false, true>},
        {"DeviceSegmentedSort::StableSortKeys", sorts<false, false, true, true>},
        {"DeviceSegmentedSort::StableSortKeysDescending", sorts<false, true, true, false>},
        {"DeviceSegmentedSort::SortPairs", sorts<true, false, false, true>},
        {"DeviceSegmentedSort::SortPairsDescending", sorts<true, true, false, false>},
        {"DeviceSegmentedSort::StableSortPairs", sorts<true, false, true, false>},
        {"DeviceSegmentedSort::StableSortPairsDescending", sorts<true, true, true, true>},
    });
}
