// CUB: selections and partitions, also in place.
#include "common.cuh"
#include <cub/cub.cuh>

// The elements at the places for which `is_chosen` holds.
template <class T, class Test> static std::vector<T> those(const std::vector<T> &values, Test is_chosen) {
    std::vector<T> results;
    for (size_t i = 0; i < values.size(); i++)
        if (is_chosen(i)) results.push_back(values[i]);
    return results;
}

// The chosen elements in order, then the others, the last of them first.
template <class Test> static std::vector<int> parted(const std::vector<int> &values, Test is_chosen) {
    std::vector<int> results = those(values, is_chosen);
    std::vector<int> others = those(values, [&](size_t i) { return !is_chosen(i); });
    results.insert(results.end(), others.rbegin(), others.rend());
    return results;
}

static bool odd(int value) { return value % 2 != 0; }

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"DeviceSelect::If", [](int n) {
            std::vector<int> values = numbers(n), expected = those(values, [&](size_t i) { return odd(values[i]); });
            Array<int> in(values), out(n), count(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceSelect::If(w, b, in.get(), out.get(), count.get(), n, IsOdd{});
            });
            return count.is({int(expected.size())}) && out.is(expected);
        }},
        {"DeviceSelect::If in place", [](int n) {
            std::vector<int> values = numbers(n), expected = those(values, [&](size_t i) { return odd(values[i]); });
            Array<int> in(values), count(1);
            twice([&](void *w, size_t &b) { return cub::DeviceSelect::If(w, b, in.get(), count.get(), n, IsOdd{}); });
            return count.is({int(expected.size())}) && in.is(expected);
        }},
        {"DeviceSelect::If of bytes in place", [](int n) {
            std::vector<uint8_t> values = numbers<uint8_t>(n, 256);
            std::vector<uint8_t> expected = those(values, [&](size_t i) { return odd(values[i]); });
            Array<uint8_t> in(values);
            Array<int> count(1);
            twice([&](void *w, size_t &b) { return cub::DeviceSelect::If(w, b, in.get(), count.get(), n, IsOdd{}); });
            return count.is({int(expected.size())}) && in.is(expected);
        }},
        {"DeviceSelect::Flagged", [](int n) {
            std::vector<long long> values = numbers<long long>(n);
            std::vector<char> flags = numbers<char>(n, 2, 3);
            std::vector<long long> expected = those(values, [&](size_t i) { return flags[i] != 0; });
            Array<long long> in(values), out(n);
            Array<char> chosen(flags);
            Array<int> count(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceSelect::Flagged(w, b, in.get(), chosen.get(), out.get(), count.get(), n);
            });
            return count.is({int(expected.size())}) && out.is(expected);
        }},
        {"DeviceSelect::Flagged in place", [](int n) {
            std::vector<int> values = numbers(n);
            std::vector<char> flags = numbers<char>(n, 2, 3);
            std::vector<int> expected = those(values, [&](size_t i) { return flags[i] != 0; });
            Array<int> in(values), count(1);
            Array<char> chosen(flags);
            twice([&](void *w, size_t &b) {
                return cub::DeviceSelect::Flagged(w, b, in.get(), chosen.get(), count.get(), n);
            });
            return count.is({int(expected.size())}) && in.is(expected);
        }},
        {"DeviceSelect::FlaggedIf", [](int n) {
            std::vector<int> values = numbers(n), flags = numbers(n, 10, 3);
            std::vector<int> expected = those(values, [&](size_t i) { return odd(flags[i]); });
            Array<int> in(values), chosen(flags), out(n), count(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceSelect::FlaggedIf(w, b, in.get(), chosen.get(), out.get(), count.get(), n, IsOdd{});
            });
            return count.is({int(expected.size())}) && out.is(expected);
        }},
        {"DeviceSelect::FlaggedIf in place", [](int n) {
            std::vector<int> values = numbers(n), flags = numbers(n, 10, 3);
            std::vector<int> expected = those(values, [&](size_t i) { return odd(flags[i]); });
            Array<int> in(values), chosen(flags), count(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceSelect::FlaggedIf(w, b, in.get(), chosen.get(), count.get(), n, IsOdd{});
            });
            return count.is({int(expected.size())}) && in.is(expected);
        }},
        {"DeviceSelect::Unique", [](int n) {
            std::vector<int> values = sorted(n, n / 3 + 1), expected = values;
            expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
            Array<int> in(values), out(n), count(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceSelect::Unique(w, b, in.get(), out.get(), count.get(), n);
            });
            return count.is({int(expected.size())}) && out.is(expected);
        }},
        {"DeviceSelect::UniqueByKey", [](int n) {
            std::vector<int> keys = sorted(n, n / 3 + 1), values = numbers(n);
            auto is_first = [&](size_t i) { return i == 0 || keys[i] != keys[i - 1]; };
            std::vector<int> unique = those(keys, is_first), expected = those(values, is_first);
            Array<int> keys_in(keys), in(values), keys_out(n), out(n), count(1);
            twice([&](void *w, size_t &b) {
                return cub::DeviceSelect::UniqueByKey(w, b, keys_in.get(), in.get(), keys_out.get(), out.get(),
                                                      count.get(), n);
            });
            return count.is({int(unique.size())}) && keys_out.is(unique) && out.is(expected);
        }},
        {"DevicePartition::If", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values), out(n), count(1);
            twice([&](void *w, size_t &b) {
                return cub::DevicePartition::If(w, b, in.get(), out.get(), count.get(), n, IsOdd{});
            });
            return count.is({int(std::count_if(values.begin(), values.end(), odd))}) &&
                   out.is(parted(values, [&](size_t i) { return odd(values[i]); }));
        }},
        {"DevicePartition::Flagged", [](int n) {
            std::vector<int> values = numbers(n);
            std::vector<char> flags = numbers<char>(n, 2, 3);
            Array<int> in(values), out(n), count(1);
            Array<char> chosen(flags);
            twice([&](void *w, size_t &b) {
                return cub::DevicePartition::Flagged(w, b, in.get(), chosen.get(), out.get(), count.get(), n);
            });
            return count.is({int(std::count(flags.begin(), flags.end(), 1))}) &&
                   out.is(parted(values, [&](size_t i) { return flags[i] != 0; }));
        }},
        {"DevicePartition::If into three", [](int n) {
            std::vector<int> values = numbers(n);
            Array<int> in(values), low(n), middle(n), high(n), counts(2);
            twice([&](void *w, size_t &b) {
                return cub::DevicePartition::If(w, b, in.get(), low.get(), middle.get(), high.get(), counts.get(), n,
                                                Below{300}, Below{700});
            });
            std::vector<int> a = those(values, [&](size_t i) { return values[i] < 300; });
            std::vector<int> m = those(values, [&](size_t i) { return values[i] >= 300 && values[i] < 700; });
            std::vector<int> z = those(values, [&](size_t i) { return values[i] >= 700; });
            return counts.is({int(a.size()), int(m.size())}) && low.is(a) && middle.is(m) && high.is(z);
        }},
    });
}
