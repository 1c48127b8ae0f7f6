// Thrust: algorithms that treat each element separately, move elements, or search sorted ones.
#include "thrust.cuh"
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/random.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/shuffle.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>

static bool odd(int value) { return value % 2 != 0; }

struct Increment {
    __host__ __device__ void operator()(int &value) const { value++; }
};

struct Five {
    __host__ __device__ int operator()() const { return 5; }
};

struct Triangle {
    __host__ __device__ int operator()(int i) const { return i * 3 + 1; }
};

// A type whose constructors are not trivial.
struct Boxed {
    int value;
    __host__ __device__ Boxed(int value = -1) : value(value) {}
    __host__ __device__ Boxed(const Boxed &other) : value(other.value) {}
    __host__ __device__ Boxed &operator=(const Boxed &other) {
        value = other.value;
        return *this;
    }
    bool operator==(const Boxed &other) const { return value == other.value; }
};

// A permutation of the places below n.
static std::vector<int> places(int n) {
    std::vector<int> results(n);
    int step = n % 7919 == 0 ? 7907 : 7919;
    for (int i = 0; i < n; i++) results[i] = int((long long)i * step % n);
    return results;
}

static std::vector<int> plus(std::vector<int> values, int summand) {
    for (int &value : values) value += summand;
    return values;
}

// Compares the answers for many values with the standard library's.
template <class Search, class Expected> static bool searches(int n, Search search, Expected expected) {
    std::vector<int> values = sorted(n, n), wanted = numbers(n / 2 + 1, n + 2, 8), all;
    for (int value : wanted) all.push_back(expected(values.begin(), values.end(), value) - values.begin());
    Vector<int> v = up(values), w = up(wanted), out = unset(wanted.size());
    search(v.begin(), v.end(), w.begin(), w.end(), out.begin());
    bool one = search(v.begin(), v.end(), wanted[0]) - v.begin() == all[0];
    return one && is(out, all);
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"copy, copy_n", [](int n) {
            std::vector<int> values = numbers(n), back(n);
            Vector<int> v = up(values), a = unset(n), b = unset(n);
            thrust::copy(v.begin(), v.end(), a.begin());
            thrust::copy_n(a.begin(), n, b.begin());
            thrust::copy(b.begin(), b.end(), back.begin());
            return back == values;
        }},
        {"fill, fill_n", [](int n) {
            Vector<int> a = unset(n), b = unset(n);
            thrust::fill(a.begin(), a.end(), 7);
            thrust::fill_n(b.begin(), n, 8);
            return is(a, std::vector<int>(n, 7)) && is(b, std::vector<int>(n, 8));
        }},
        {"for_each, for_each_n", [](int n) {
            std::vector<int> values = numbers(n);
            Vector<int> v = up(values);
            thrust::for_each(v.begin(), v.end(), Increment{});
            thrust::for_each_n(v.begin(), n, Increment{});
            return is(v, plus(values, 2));
        }},
        {"gather, scatter", [](int n) {
            std::vector<int> values = numbers(n), map = places(n), gathered(n), scattered(n);
            for (int i = 0; i < n; i++) gathered[i] = values[map[i]], scattered[map[i]] = values[i];
            Vector<int> v = up(values), m = up(map), a = unset(n), b = unset(n);
            thrust::gather(m.begin(), m.end(), v.begin(), a.begin());
            thrust::scatter(v.begin(), v.end(), m.begin(), b.begin());
            return is(a, gathered) && is(b, scattered);
        }},
        {"gather_if, scatter_if", [](int n) {
            std::vector<int> values = numbers(n), map = places(n), stencil = numbers(n, 9, 2);
            std::vector<int> gathered(n, -1), scattered(n, -1);
            for (int i = 0; i < n; i++)
                if (odd(stencil[i])) gathered[i] = values[map[i]], scattered[map[i]] = values[i];
            Vector<int> v = up(values), m = up(map), s = up(stencil), a(n, -1), b(n, -1);
            thrust::gather_if(m.begin(), m.end(), s.begin(), v.begin(), a.begin(), IsOdd{});
            thrust::scatter_if(v.begin(), v.end(), m.begin(), s.begin(), b.begin(), IsOdd{});
            return is(a, gathered) && is(b, scattered);
        }},
        {"generate, generate_n", [](int n) {
            Vector<int> a = unset(n), b = unset(n);
            thrust::generate(a.begin(), a.end(), Five{});
            thrust::generate_n(b.begin(), n, Five{});
            return is(a, std::vector<int>(n, 5)) && is(b, std::vector<int>(n, 5));
        }},
        {"replace, replace_if", [](int n) {
            std::vector<int> values = numbers(n, 9);
            Vector<int> v = up(values);
            thrust::replace(v.begin(), v.end(), 3, 100);
            thrust::replace_if(v.begin(), v.end(), IsOdd{}, -2);
            std::replace(values.begin(), values.end(), 3, 100);
            std::replace_if(values.begin(), values.end(), odd, -2);
            return is(v, values);
        }},
        {"replace_copy, replace_copy_if", [](int n) {
            std::vector<int> values = numbers(n, 9), one = values, other = values;
            Vector<int> v = up(values), a = unset(n), b = unset(n);
            thrust::replace_copy(v.begin(), v.end(), a.begin(), 3, 100);
            thrust::replace_copy_if(v.begin(), v.end(), b.begin(), IsOdd{}, -2);
            std::replace(one.begin(), one.end(), 3, 100);
            std::replace_if(other.begin(), other.end(), odd, -2);
            return is(a, one) && is(b, other);
        }},
        {"reverse, reverse_copy", [](int n) {
            std::vector<int> values = numbers(n), expected(values.rbegin(), values.rend());
            Vector<int> v = up(values), a = unset(n);
            thrust::reverse_copy(v.begin(), v.end(), a.begin());
            thrust::reverse(v.begin(), v.end());
            return is(v, expected) && is(a, expected);
        }},
        {"sequence", [](int n) {
            Vector<int> v = unset(n);
            thrust::sequence(v.begin(), v.end(), 10);
            return is(v, plus(counting(n), 10));
        }},
        {"tabulate", [](int n) {
            Vector<int> v = unset(n);
            thrust::tabulate(v.begin(), v.end(), Triangle{});
            std::vector<int> expected(n);
            for (int i = 0; i < n; i++) expected[i] = 3 * i + 1;
            return is(v, expected);
        }},
        {"transform", [](int n) {
            std::vector<int> a = numbers(n), b = numbers(n, 1000, 2), twice = a, sums = a;
            for (int i = 0; i < n; i++) twice[i] *= 2, sums[i] += b[i];
            Vector<int> va = up(a), vb = up(b), out = unset(n);
            thrust::transform(va.begin(), va.end(), out.begin(), Twice{});
            thrust::transform(va.begin(), va.end(), vb.begin(), va.begin(), thrust::plus<int>());
            return is(out, twice) && is(va, sums);
        }},
        {"transform_if", [](int n) {
            std::vector<int> values = numbers(n), stencil = numbers(n, 9, 2), expected(n, -1);
            for (int i = 0; i < n; i++)
                if (odd(stencil[i])) expected[i] = 2 * values[i];
            Vector<int> v = up(values), s = up(stencil), out(n, -1);
            thrust::transform_if(v.begin(), v.end(), s.begin(), out.begin(), Twice{}, IsOdd{});
            return is(out, expected);
        }},
        {"swap_ranges", [](int n) {
            std::vector<int> a = numbers(n), b = numbers(n, 1000, 2);
            Vector<int> va = up(a), vb = up(b);
            thrust::swap_ranges(va.begin(), va.end(), vb.begin());
            return is(va, b) && is(vb, a);
        }},
        {"uninitialized_fill, uninitialized_copy", [](int n) {
            auto a = thrust::device_malloc<Boxed>(n), b = thrust::device_malloc<Boxed>(n);
            thrust::uninitialized_fill(a, a + n, Boxed(3));
            thrust::uninitialized_copy(a, a + n, b);
            std::vector<Boxed> back(n);
            thrust::copy(b, b + n, back.begin());
            thrust::uninitialized_fill_n(a, n, Boxed(4));
            thrust::uninitialized_copy_n(a, n, b);
            std::vector<Boxed> again(n);
            thrust::copy(b, b + n, again.begin());
            thrust::device_free(a);
            thrust::device_free(b);
            return back == std::vector<Boxed>(n, Boxed(3)) && again == std::vector<Boxed>(n, Boxed(4));
        }},
        {"shuffle, shuffle_copy", [](int n) {
            Vector<int> v = up(counting(n)), out = unset(n);
            thrust::default_random_engine engine(7);
            thrust::shuffle_copy(v.begin(), v.end(), out.begin(), engine);
            thrust::shuffle(v.begin(), v.end(), engine);
            for (Vector<int> *shuffled : {&v, &out}) {
                std::vector<int> back(n);
                thrust::copy(shuffled->begin(), shuffled->end(), back.begin());
                std::sort(back.begin(), back.end());
                if (back != counting(n)) return false;
            }
            return true;
        }},
        {"lower_bound", [](int n) {
            return searches(n, [](auto... a) { return thrust::lower_bound(a...); },
                            [](auto... a) { return std::lower_bound(a...); });
        }},
        {"upper_bound", [](int n) {
            return searches(n, [](auto... a) { return thrust::upper_bound(a...); },
                            [](auto... a) { return std::upper_bound(a...); });
        }},
        {"equal_range", [](int n) {
            std::vector<int> values = sorted(n, n / 4 + 1);
            Vector<int> v = up(values);
            auto ends = thrust::equal_range(v.begin(), v.end(), values[n / 2]);
            auto expected = std::equal_range(values.begin(), values.end(), values[n / 2]);
            return ends.first - v.begin() == expected.first - values.begin() &&
                   ends.second - v.begin() == expected.second - values.begin();
        }},
        {"binary_search", [](int n) {
            std::vector<int> values = sorted(n, n), wanted = numbers(n / 2 + 1, n + 2, 8), expected;
            for (int value : wanted) expected.push_back(std::binary_search(values.begin(), values.end(), value));
            Vector<int> v = up(values), w = up(wanted), out = unset(wanted.size());
            thrust::binary_search(v.begin(), v.end(), w.begin(), w.end(), out.begin());
            return is(out, expected) && thrust::binary_search(v.begin(), v.end(), wanted[0]) == bool(expected[0]);
        }},
    });
}
