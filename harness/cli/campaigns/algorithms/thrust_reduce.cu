// Thrust: reductions, searches and comparisons.
#include "thrust.cuh"
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

static bool odd(int value) { return value % 2 != 0; }

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"reduce", [](int n) {
            std::vector<int> values = numbers(n);
            Vector<int> v = up(values);
            return thrust::reduce(v.begin(), v.end()) == std::accumulate(values.begin(), values.end(), 0) &&
                   thrust::reduce(v.begin(), v.end(), -1, thrust::maximum<int>()) ==
                       *std::max_element(values.begin(), values.end());
        }},
        {"reduce_by_key", [](int n) {
            std::vector<int> keys = sorted(n, n / 9 + 1), values = numbers(n), unique, sums;
            for (int i = 0; i < n; i++) {
                if (i == 0 || keys[i] != keys[i - 1]) unique.push_back(keys[i]), sums.push_back(0);
                sums.back() += values[i];
            }
            Vector<int> k = up(keys), v = up(values), keys_out = unset(n), out = unset(n);
            auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), keys_out.begin(), out.begin());
            return is(keys_out, ends.first, unique) && is(out, ends.second, sums);
        }},
        {"transform_reduce", [](int n) {
            std::vector<int> values = numbers(n);
            Vector<int> v = up(values);
            return thrust::transform_reduce(v.begin(), v.end(), Twice{}, 5, thrust::plus<int>()) ==
                   2 * std::accumulate(values.begin(), values.end(), 0) + 5;
        }},
        {"inner_product", [](int n) {
            std::vector<int> a = numbers(n, 100), b = numbers(n, 100, 2);
            Vector<int> va = up(a), vb = up(b);
            return thrust::inner_product(va.begin(), va.end(), vb.begin(), 0) ==
                   std::inner_product(a.begin(), a.end(), b.begin(), 0);
        }},
        {"count", [](int n) {
            std::vector<int> values = numbers(n, 5);
            Vector<int> v = up(values);
            return thrust::count(v.begin(), v.end(), 3) == std::count(values.begin(), values.end(), 3);
        }},
        {"count_if", [](int n) {
            std::vector<int> values = numbers(n);
            Vector<int> v = up(values);
            return thrust::count_if(v.begin(), v.end(), IsOdd{}) == std::count_if(values.begin(), values.end(), odd);
        }},
        {"min_element", [](int n) {
            std::vector<int> values = numbers(n);
            Vector<int> v = up(values);
            return thrust::min_element(v.begin(), v.end()) - v.begin() ==
                   std::min_element(values.begin(), values.end()) - values.begin();
        }},
        {"max_element", [](int n) {
            std::vector<double> values = numbers<double>(n);
            Vector<double> v = up(values);
            return thrust::max_element(v.begin(), v.end()) - v.begin() ==
                   std::max_element(values.begin(), values.end()) - values.begin();
        }},
        {"minmax_element", [](int n) {
            std::vector<int> values = numbers(n, 1 << 24);
            Vector<int> v = up(values);
            auto both = thrust::minmax_element(v.begin(), v.end());
            auto expected = std::minmax_element(values.begin(), values.end());
            return *both.first == *expected.first && *both.second == *expected.second;
        }},
        {"find", [](int n) {
            std::vector<int> values = numbers(n, n);
            Vector<int> v = up(values);
            return thrust::find(v.begin(), v.end(), values[n / 2]) - v.begin() ==
                       std::find(values.begin(), values.end(), values[n / 2]) - values.begin() &&
                   thrust::find(v.begin(), v.end(), -1) == v.end();
        }},
        {"find_if", [](int n) {
            std::vector<int> values(n, 2);
            values[n - n / 4 - 1] = 3;
            Vector<int> v = up(values);
            return thrust::find_if(v.begin(), v.end(), IsOdd{}) - v.begin() == n - n / 4 - 1;
        }},
        {"find_if_not", [](int n) {
            std::vector<int> values(n, 3);
            values[n / 3] = 2;
            Vector<int> v = up(values);
            return thrust::find_if_not(v.begin(), v.end(), IsOdd{}) - v.begin() == n / 3;
        }},
        {"all_of, any_of, none_of", [](int n) {
            std::vector<int> values(n, 2);
            Vector<int> even = up(values);
            values[n / 2] = 1;
            Vector<int> mixed = up(values);
            return !thrust::all_of(mixed.begin(), mixed.end(), IsOdd{}) == (n > 1) &&
                   thrust::any_of(mixed.begin(), mixed.end(), IsOdd{}) &&
                   !thrust::none_of(mixed.begin(), mixed.end(), IsOdd{}) &&
                   thrust::none_of(even.begin(), even.end(), IsOdd{}) &&
                   !thrust::any_of(even.begin(), even.end(), IsOdd{});
        }},
        {"equal", [](int n) {
            std::vector<int> values = numbers(n);
            Vector<int> a = up(values), b = up(values);
            bool same = thrust::equal(a.begin(), a.end(), b.begin());
            b[n - 1] = -1;
            return same && !thrust::equal(a.begin(), a.end(), b.begin());
        }},
        {"mismatch", [](int n) {
            std::vector<int> values = numbers(n);
            Vector<int> a = up(values);
            values[n / 2] = -1;
            Vector<int> b = up(values);
            auto places = thrust::mismatch(a.begin(), a.end(), b.begin());
            return places.first - a.begin() == n / 2 && places.second - b.begin() == n / 2;
        }},
    });
}
