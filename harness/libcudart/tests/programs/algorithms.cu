// Thrust and CUB, as CUDA ships them: sort, reduce, scan, transform.
#include "common.cuh"
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

int main() {
    const int n = 4000;
    thrust::host_vector<int> host(n);
    unsigned seed = 1;
    long long sum = 0;
    for (int i = 0; i < n; i++) host[i] = (seed = seed * 1664525 + 1013904223) >> 16, sum += host[i];
    thrust::device_vector<int> device = host;
    IS(thrust::reduce(device.begin(), device.end(), 0LL) == sum);
    thrust::sort(device.begin(), device.end());
    thrust::sort(host.begin(), host.end());
    IS(thrust::equal(host.begin(), host.end(), thrust::host_vector<int>(device).begin()));
    thrust::device_vector<long long> sums(n);
    thrust::inclusive_scan(device.begin(), device.end(), sums.begin(), thrust::plus<long long>());
    IS(sums[n - 1] == sum);
    thrust::transform(device.begin(), device.end(), device.begin(), thrust::negate<int>());
    IS(device[0] == -host[0]);
    int *most;
    OK(cudaMalloc(&most, sizeof *most));
    void *work = nullptr;
    size_t bytes = 0;
    const int *in = thrust::raw_pointer_cast(device.data());
    OK(cub::DeviceReduce::Max(work, bytes, in, most, n));
    OK(cudaMalloc(&work, bytes));
    OK(cub::DeviceReduce::Max(work, bytes, in, most, n));
    int back;
    OK(cudaMemcpy(&back, most, sizeof back, cudaMemcpyDeviceToHost));
    IS(back == -host[0]);
    OK(cudaFree(work));
    OK(cudaFree(most));
    puts("algorithms are right");
}
