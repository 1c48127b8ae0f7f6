// CUB: reductions of a whole array, by key and by segment, and run-length encoding.
#include "common.cuh"
#include <climits>
#include <cub/cub.cuh>

// Segments of uneven lengths, some of which are empty: where each begins, and at last where the last one ends.
static std::vector<int> segments(int n) {
    std::vector<int> starts = {0};
    for (int i = 0; starts.back() < n; i++) starts.push_back(std::min(n, starts.back() + i * i % 701));
    return starts;
}

// What a function of begin and end gives for each segment.
template <class T, class Function>
static std::vector<T> each(const std::vector<int> &values, const std::vector<int> &starts, Function function) {
    std::vector<T> results;
    for (size_t i = 0; i + 1 < starts.size(); i++)
        results.push_back(function(values.begin() + starts[i], values.begin() + starts[i + 1]));
    return results;
}

// Compares the results of a reduction by segment with what `expected` gives for each segment.
template <class Call, class Function> static bool by_segment(int n, Call call, Function expected) {
    std::vector<int> values = numbers(n), starts = segments(n);
    Array<int> in(values), offsets(starts), out(starts.size() - 1);
    int count = int(starts.size()) - 1;
    twice([&](void *work, size_t &bytes) {
        return call(work, bytes, in.get(), out.get(), count, offsets.get(), offsets.get() + 1);
    });
    return out.is(each<int>(values, starts, expected));
}

using Iterator = std::vector<int>::const_iterator;

// Compares the places and values of ArgMin or ArgMax in all segments that have elements.
static bool by_segment_where(int n, Iterator (*expected)(Iterator, Iterator), bool least) {
    std::vector<int> values = numbers(n), starts = segments(n);
    int count = int(starts.size()) - 1;
    Array<int> in(values), offsets(starts);
    Array<cub::KeyValuePair<int, int>> out(count);
    twice([&](void *w, size_t &b) {
        using Segmented = cub::DeviceSegmentedReduce;
        int *begin = offsets.get();
        return least ? Segmented::ArgMin(w, b, in.get(), out.get(), count, begin, begin + 1)
                     : Segmented::ArgMax(w, b, in.get(), out.get(), count, begin, begin + 1);
    });
    auto pairs = out.first(count);
    for (int i = 0; i < count; i++) {
        if (starts[i] == starts[i + 1]) continue;
        Iterator begin = values.begin() + starts[i], found = expected(begin, values.begin() + starts[i + 1]);
        if (pairs[i].key != found - begin || pairs[i].value != *found) return false;
    }
    return true;
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"DeviceReduce::Reduce", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Array<int> in(values), out(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceReduce::Reduce(w, b, in.get(), out.get(), n, cuda::maximum<>{}, -1);
            });
            return out.is({*std::max_element(values.begin(), values.end())});
        }},
        {"DeviceReduce::Sum", [](int n) {
            std::vector<long long> values = numbers<long long>(n, 1 << 20);
            Array<long long> in(values), out(1);
            twice([&](void *w, size_t &b) { return cub::DeviceReduce::Sum(w, b, in.get(), out.get(), n); });
            return out.is({std::accumulate(values.begin(), values.end(), 0LL)});
        }},
        {"DeviceReduce::Sum of bytes", [](int n) {
            std::vector<uint8_t> values = numbers<uint8_t>(n, 256);
            Array<uint8_t> in(values), out(1);
            twice([&](void *w, size_t &b) { return cub::DeviceReduce::Sum(w, b, in.get(), out.get(), n); });
            return out.is({uint8_t(std::accumulate(values.begin(), values.end(), 0))});
        }},
        {"DeviceReduce::Min", [](int n) {
            std::vector<double> values = numbers<double>(n, 1 << 20);
            Array<double> in(values), out(1);
            twice([&](void *w, size_t &b) { return cub::DeviceReduce::Min(w, b, in.get(), out.get(), n); });
            return out.is({*std::min_element(values.begin(), values.end())});
        }},
        {"DeviceReduce::Max", [](int n) {
            std::vector<float> values = numbers<float>(n, 1 << 20);
            Array<float> in(values), out(1);
            twice([&](void *w, size_t &b) { return cub::DeviceReduce::Max(w, b, in.get(), out.get(), n); });
            return out.is({*std::max_element(values.begin(), values.end())});
        }},
        {"DeviceReduce::ArgMin", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Array<int> in(values), out(1);
            Array<int64_t> at(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceReduce::ArgMin(w, b, in.get(), out.get(), at.get(), int64_t(n));
            });
            auto least = std::min_element(values.begin(), values.end());
            return out.is({*least}) && at.is({least - values.begin()});
        }},
        {"DeviceReduce::ArgMax", [](int n) {
            std::vector<int> values = numbers(n, 1 << 20);
            Array<int> in(values), out(1);
            Array<int64_t> at(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceReduce::ArgMax(w, b, in.get(), out.get(), at.get(), int64_t(n));
            });
            auto most = std::max_element(values.begin(), values.end());
            return out.is({*most}) && at.is({most - values.begin()});
        }},
        {"DeviceReduce::TransformReduce", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values), out(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceReduce::TransformReduce(w, b, in.get(), out.get(), n, cuda::std::plus<>{}, Twice{}, 7);
            });
            return out.is({2 * std::accumulate(values.begin(), values.end(), 0) + 7});
        }},
        {"DeviceReduce::ReduceByKey", [](int n) {
            std::vector<int> keys = sorted(n, n / 9 + 1), values = numbers(n);
            Array<int> keys_in(keys), in(values), keys_out(n), out(n), runs(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceReduce::ReduceByKey(w, b, keys_in.get(), keys_out.get(), in.get(), out.get(),
                                                      runs.get(), cuda::std::plus<>{}, n);
            });
            std::vector<int> unique, sums;
            for (int i = 0; i < n; i++) {
                if (i == 0 || keys[i] != keys[i - 1]) unique.push_back(keys[i]), sums.push_back(0);
                sums.back() += values[i];
            }
            return runs.is({int(unique.size())}) && keys_out.is(unique) && out.is(sums);
        }},
        {"DeviceSegmentedReduce::Reduce", [](int n) {
            auto call = [](void *w, size_t &b, int *in, int *out, int count, int *starts, int *ends) {
                return cub::DeviceSegmentedReduce::Reduce(w, b, in, out, count, starts, ends, cuda::maximum<>{}, -5);
            };
            return by_segment(n, call, [](Iterator begin, Iterator end) {
                return begin == end ? -5 : *std::max_element(begin, end);
            });
        }},
        {"DeviceSegmentedReduce::Sum", [](int n) {
            auto call = [](void *w, size_t &b, int *in, int *out, int count, int *starts, int *ends) {
                return cub::DeviceSegmentedReduce::Sum(w, b, in, out, count, starts, ends);
            };
            return by_segment(n, call, [](Iterator begin, Iterator end) { return std::accumulate(begin, end, 0); });
        }},
        {"DeviceSegmentedReduce::Min", [](int n) {
            auto call = [](void *w, size_t &b, int *in, int *out, int count, int *starts, int *ends) {
                return cub::DeviceSegmentedReduce::Min(w, b, in, out, count, starts, ends);
            };
            return by_segment(n, call, [](Iterator begin, Iterator end) {
                return begin == end ? INT_MAX : *std::min_element(begin, end);
            });
        }},
        {"DeviceSegmentedReduce::Max", [](int n) {
            auto call = [](void *w, size_t &b, int *in, int *out, int count, int *starts, int *ends) {
                return cub::DeviceSegmentedReduce::Max(w, b, in, out, count, starts, ends);
            };
            return by_segment(n, call, [](Iterator begin, Iterator end) {
                return begin == end ? INT_MIN : *std::max_element(begin, end);
            });
        }},
        {"DeviceSegmentedReduce::ArgMin", [](int n) { return by_segment_where(n, std::min_element<Iterator>, true); }},
        {"DeviceSegmentedReduce::ArgMax", [](int n) { return by_segment_where(n, std::max_element<Iterator>, false); }},
        {"DeviceRunLengthEncode::Encode", [](int n) {
            std::vector<int> values = sorted(n, n / 7 + 1);
            Array<int> in(values), out(n), lengths(n), runs(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceRunLengthEncode::Encode(w, b, in.get(), out.get(), lengths.get(), runs.get(), n);
            });
            std::vector<int> unique, counts;
            for (int i = 0; i < n; i++) {
                if (i == 0 || values[i] != values[i - 1]) unique.push_back(values[i]), counts.push_back(0);
                counts.back()++;
            }
            return runs.is({int(unique.size())}) && out.is(unique) && lengths.is(counts);
        }},
        {"DeviceRunLengthEncode::NonTrivialRuns", [](int n) {
            std::vector<int> values = sorted(n, n / 2 + 1);
            Array<int> in(values), starts(n), lengths(n), runs(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceRunLengthEncode::NonTrivialRuns(w, b, in.get(), starts.get(), lengths.get(),
                                                                  runs.get(), n);
            });
            std::vector<int> begins, counts;
            for (int i = 0, end; i < n; i = end) {
                for (end = i; end < n && values[end] == values[i];) end++;
                if (end - i > 1) begins.push_back(i), counts.push_back(end - i);
            }
            return runs.is({int(begins.size())}) && starts.is(begins) && lengths.is(counts);
        }},
    });
}
