// Thrust: keys and values, iterators that compute, memory that the host shares, streams as policies.
// nvcc: --extended-lambda -std=c++17
#include "common.cuh"
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

struct Square {
    __host__ __device__ long long operator()(long long x) const { return x * x; }
};

int main() {
    const int n = 2000;
    thrust::device_vector<int> keys(n), values(n);
    thrust::sequence(values.begin(), values.end());
    thrust::transform(values.begin(), values.end(), keys.begin(), [] __device__(int i) { return i * 7919 % 50; });
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
    thrust::host_vector<int> k = keys, v = values;
    for (int i = 1; i < n; i++) IS(k[i - 1] < k[i] || (k[i - 1] == k[i] && v[i - 1] < v[i]));

    // How often each key is there, and the sum of its values.
    thrust::device_vector<int> unique(50), counts(50);
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), thrust::make_constant_iterator(1), unique.begin(),
                                      counts.begin());
    IS(ends.first - unique.begin() == 50 && counts[7] == n / 50 && unique[49] == 49);
    thrust::device_vector<int> firsts(50);
    thrust::lower_bound(keys.begin(), keys.end(), unique.begin(), unique.end(), firsts.begin());
    IS(firsts[3] == 3 * n / 50);

    // Nothing of this is stored: numbers, their squares, pairs.
    auto numbers = thrust::make_counting_iterator(1LL);
    IS(thrust::transform_reduce(numbers, numbers + 1000, Square(), 0LL, thrust::plus<long long>()) == 333833500);
    auto squares = thrust::make_transform_iterator(numbers, Square());
    IS(thrust::reduce(thrust::device, squares, squares + 1000) == 333833500);
    auto pairs = thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), values.begin()));
    auto apart = [] __device__(thrust::tuple<int, int> pair) { return thrust::get<1>(pair) - thrust::get<0>(pair); };
    thrust::transform(pairs, pairs + n, values.begin(), apart);
    thrust::host_vector<int> w = values;
    for (int i = 0; i < n; i++) IS(w[i] == v[i] - k[i]);
    auto place = thrust::max_element(values.begin(), values.end()) - values.begin();
    IS(w[place] == *thrust::max_element(w.begin(), w.end()));

    auto end = thrust::copy_if(keys.begin(), keys.end(), values.begin(), [] __device__(int key) { return key < 5; });
    IS(end - values.begin() == 5 * n / 50);
    IS(thrust::unique_copy(keys.begin(), keys.end(), values.begin()) - values.begin() == 50);

    // Memory of both, in a stream of the program's own.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    int *shared;
    OK(cudaMallocManaged(&shared, n * sizeof(int)));
    for (int i = 0; i < n; i++) shared[i] = n - i;
    OK(cudaDeviceSynchronize());
    thrust::sort(thrust::cuda::par.on(stream), shared, shared + n);
    OK(cudaStreamSynchronize(stream));
    IS(shared[0] == 1 && shared[n - 1] == n);
    OK(cudaFree(shared));
    OK(cudaStreamDestroy(stream));
    puts("iterators are right");
}
