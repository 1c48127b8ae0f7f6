// Thrust: elements that are chosen, removed, made unique and parted, also in place.
#include "thrust.cuh"
#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/unique.h>

static bool odd(int value) { return value % 2 != 0; }

template <class T, class Test> static std::vector<T> those(const std::vector<T> &values, Test is_chosen) {
    std::vector<T> results;
    for (size_t i = 0; i < values.size(); i++)
        if (is_chosen(i)) results.push_back(values[i]);
    return results;
}

static std::vector<int> both(std::vector<int> first, const std::vector<int> &second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// The numbers, which of them a stencil chooses, and those that it chooses or not.
struct Stencil {
    std::vector<int> values, stencil, chosen, others;
    Vector<int> v, s;
    explicit Stencil(int n) : values(numbers(n)), stencil(numbers(n, 10, 3)), v(up(values)), s(up(stencil)) {
        chosen = those(values, [&](size_t i) { return odd(stencil[i]); });
        others = those(values, [&](size_t i) { return !odd(stencil[i]); });
    }
};

// The same, chosen by the numbers themselves.
struct Own : Stencil {
    explicit Own(int n) : Stencil(n) {
        chosen = those(values, [&](size_t i) { return odd(values[i]); });
        others = those(values, [&](size_t i) { return !odd(values[i]); });
    }
};

// Whether `vector` begins with these elements, in any order.
static bool has(const Vector<int> &vector, size_t from, std::vector<int> values) {
    std::vector<int> found(values.size());
    thrust::copy_n(vector.begin() + from, values.size(), found.begin());
    std::sort(found.begin(), found.end());
    std::sort(values.begin(), values.end());
    return found == values;
}

// Keys of which neighbours are often equal, with values, and those that stay.
struct Runs {
    std::vector<int> keys, values, unique, firsts;
    Vector<int> k, v;
    explicit Runs(int n) : keys(sorted(n, n / 3 + 1)), values(numbers(n)), k(up(keys)), v(up(values)) {
        auto is_first = [&](size_t i) { return i == 0 || keys[i] != keys[i - 1]; };
        unique = those(keys, is_first);
        firsts = those(values, is_first);
    }
};

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"copy_if", [](int n) {
            Own a(n);
            Vector<int> out = unset(n);
            return is(out, thrust::copy_if(a.v.begin(), a.v.end(), out.begin(), IsOdd{}), a.chosen);
        }},
        {"copy_if with a stencil", [](int n) {
            Stencil a(n);
            Vector<int> out = unset(n);
            return is(out, thrust::copy_if(a.v.begin(), a.v.end(), a.s.begin(), out.begin(), IsOdd{}), a.chosen);
        }},
        {"remove", [](int n) {
            std::vector<int> values = numbers(n, 4), expected = those(values, [&](size_t i) { return values[i] != 2; });
            Vector<int> v = up(values);
            return is(v, thrust::remove(v.begin(), v.end(), 2), expected);
        }},
        {"remove_if", [](int n) {
            Own a(n);
            return is(a.v, thrust::remove_if(a.v.begin(), a.v.end(), IsOdd{}), a.others);
        }},
        {"remove_if with a stencil", [](int n) {
            Stencil a(n);
            return is(a.v, thrust::remove_if(a.v.begin(), a.v.end(), a.s.begin(), IsOdd{}), a.others);
        }},
        {"remove_copy", [](int n) {
            std::vector<int> values = numbers(n, 4), expected = those(values, [&](size_t i) { return values[i] != 2; });
            Vector<int> v = up(values), out = unset(n);
            return is(out, thrust::remove_copy(v.begin(), v.end(), out.begin(), 2), expected);
        }},
        {"remove_copy_if", [](int n) {
            Own a(n);
            Vector<int> out = unset(n);
            return is(out, thrust::remove_copy_if(a.v.begin(), a.v.end(), out.begin(), IsOdd{}), a.others);
        }},
        {"remove_copy_if with a stencil", [](int n) {
            Stencil a(n);
            Vector<int> out = unset(n);
            auto end = thrust::remove_copy_if(a.v.begin(), a.v.end(), a.s.begin(), out.begin(), IsOdd{});
            return is(out, end, a.others);
        }},
        {"unique", [](int n) {
            Runs a(n);
            return is(a.k, thrust::unique(a.k.begin(), a.k.end()), a.unique);
        }},
        {"unique_copy", [](int n) {
            Runs a(n);
            Vector<int> out = unset(n);
            return is(out, thrust::unique_copy(a.k.begin(), a.k.end(), out.begin()), a.unique);
        }},
        {"unique_count", [](int n) {
            Runs a(n);
            return size_t(thrust::unique_count(a.k.begin(), a.k.end())) == a.unique.size();
        }},
        {"unique_by_key", [](int n) {
            Runs a(n);
            auto ends = thrust::unique_by_key(a.k.begin(), a.k.end(), a.v.begin());
            return is(a.k, ends.first, a.unique) && is(a.v, ends.second, a.firsts);
        }},
        {"unique_by_key_copy", [](int n) {
            Runs a(n);
            Vector<int> keys = unset(n), values = unset(n);
            auto ends = thrust::unique_by_key_copy(a.k.begin(), a.k.end(), a.v.begin(), keys.begin(), values.begin());
            return is(keys, ends.first, a.unique) && is(values, ends.second, a.firsts);
        }},
        {"partition", [](int n) {
            Own a(n);
            size_t count = thrust::partition(a.v.begin(), a.v.end(), IsOdd{}) - a.v.begin();
            return count == a.chosen.size() && has(a.v, 0, a.chosen) && has(a.v, count, a.others);
        }},
        {"partition with a stencil", [](int n) {
            Stencil a(n);
            size_t count = thrust::partition(a.v.begin(), a.v.end(), a.s.begin(), IsOdd{}) - a.v.begin();
            return count == a.chosen.size() && has(a.v, 0, a.chosen) && has(a.v, count, a.others);
        }},
        {"partition_copy", [](int n) {
            Own a(n);
            Vector<int> yes = unset(n), no = unset(n);
            auto ends = thrust::partition_copy(a.v.begin(), a.v.end(), yes.begin(), no.begin(), IsOdd{});
            return size_t(ends.first - yes.begin()) == a.chosen.size() && has(yes, 0, a.chosen) &&
                   size_t(ends.second - no.begin()) == a.others.size() && has(no, 0, a.others);
        }},
        {"stable_partition", [](int n) {
            Own a(n);
            size_t count = thrust::stable_partition(a.v.begin(), a.v.end(), IsOdd{}) - a.v.begin();
            return count == a.chosen.size() && is(a.v, both(a.chosen, a.others));
        }},
        {"stable_partition with a stencil", [](int n) {
            Stencil a(n);
            size_t count = thrust::stable_partition(a.v.begin(), a.v.end(), a.s.begin(), IsOdd{}) - a.v.begin();
            return count == a.chosen.size() && is(a.v, both(a.chosen, a.others));
        }},
        {"stable_partition_copy", [](int n) {
            Stencil a(n);
            Vector<int> yes = unset(n), no = unset(n);
            auto ends = thrust::stable_partition_copy(a.v.begin(), a.v.end(), a.s.begin(), yes.begin(), no.begin(),
                                                      IsOdd{});
            return is(yes, ends.first, a.chosen) && is(no, ends.second, a.others);
        }},
        {"is_partitioned", [](int n) {
            Own a(n);
            Vector<int> parted = up(both(a.chosen, a.others));
            return thrust::is_partitioned(parted.begin(), parted.end(), IsOdd{}) &&
                   thrust::is_partitioned(a.v.begin(), a.v.end(), IsOdd{}) ==
                       std::is_partitioned(a.values.begin(), a.values.end(), odd);
        }},
        {"partition_point", [](int n) {
            Own a(n);
            Vector<int> parted = up(both(a.chosen, a.others));
            return size_t(thrust::partition_point(parted.begin(), parted.end(), IsOdd{}) - parted.begin()) ==
                   a.chosen.size();
        }},
    });
}
