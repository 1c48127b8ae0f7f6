// Thrust: unions, intersections and differences of sorted sequences, in which elements may be there several times.
#include "thrust.cuh"
#include <thrust/set_operations.h>

// Two sequences of which about half of the elements are in both.
struct Sets {
    std::vector<int> a, b, values_a, values_b;
    explicit Sets(int n)
        : a(sorted(n, n + 3)), b(sorted(n / 2 + 3, n + 3, 9)), values_a(numbers(n, 1 << 20, 4)),
          values_b(numbers(n / 2 + 3, 1 << 20, 6)) {}
};

// Compares an operation with the standard library's.
template <class Operation, class Expected> static bool holds(int n, Operation operation, Expected expected) {
    Sets sets(n);
    std::vector<int> all(sets.a.size() + sets.b.size());
    auto &a = sets.a, &b = sets.b;
    all.resize(expected(a.begin(), a.end(), b.begin(), b.end(), all.begin()) - all.begin());
    Vector<int> va = up(a), vb = up(b), out = unset(a.size() + b.size());
    return is(out, operation(va.begin(), va.end(), vb.begin(), vb.end(), out.begin()), all);
}

// A key with its value: equal keys are equal, whatever their values are.
struct Pair {
    int key, value;
    bool operator<(const Pair &other) const { return key < other.key; }
};

template <class Operation, class Expected>
static bool holds_by_key(int n, Operation operation, Expected expected) {
    Sets sets(n);
    std::vector<Pair> a, b, all(sets.a.size() + sets.b.size());
    for (size_t i = 0; i < sets.a.size(); i++) a.push_back({sets.a[i], sets.values_a[i]});
    for (size_t i = 0; i < sets.b.size(); i++) b.push_back({sets.b[i], sets.values_b[i]});
    all.resize(expected(a.begin(), a.end(), b.begin(), b.end(), all.begin()) - all.begin());
    std::vector<int> keys, values;
    for (Pair pair : all) keys.push_back(pair.key), values.push_back(pair.value);
    Vector<int> va = up(sets.a), vb = up(sets.b), xa = up(sets.values_a), xb = up(sets.values_b);
    Vector<int> keys_out = unset(a.size() + b.size()), out = unset(a.size() + b.size());
    auto ends = operation(va, vb, xa, xb, keys_out.begin(), out.begin());
    return is(keys_out, ends.first, keys) && is(out, ends.second, values);
}

#define OPERATION(name)                                                                                                \
    {#name, [](int n) {                                                                                                \
        return holds(n, [](auto... a) { return thrust::name(a...); }, [](auto... a) { return std::name(a...); });      \
    }}

#define OPERATION_BY_KEY(name)                                                                                         \
    {#name "_by_key", [](int n) {                                                                                      \
        auto operation = [](auto &a, auto &b, auto &xa, auto &xb, auto keys, auto values) {                            \
            return thrust::name##_by_key(a.begin(), a.end(), b.begin(), b.end(), xa.begin(), xb.begin(), keys,         \
                                         values);                                                                      \
        };                                                                                                             \
        return holds_by_key(n, operation, [](auto... a) { return std::name(a...); });                            \
    }}

int main(int argc, char **argv) {
    return run(argc, argv, {
        OPERATION(set_union),
        OPERATION(set_intersection),
        OPERATION(set_difference),
        OPERATION(set_symmetric_difference),
        OPERATION_BY_KEY(set_union),
        OPERATION_BY_KEY(set_difference),
        OPERATION_BY_KEY(set_symmetric_difference),
        // Its second sequence has no values.
        {"set_intersection_by_key", [](int n) {
            auto operation = [](auto &a, auto &b, auto &xa, auto &, auto keys, auto values) {
                return thrust::set_intersection_by_key(a.begin(), a.end(), b.begin(), b.end(), xa.begin(), keys,
                                                       values);
            };
            return holds_by_key(n, operation, [](auto... a) { return std::set_intersection(a...); });
        }},
    });
}
