#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/transform_reduce.h>
struct square : public thrust::unary_function<float, float> { __host__ __device__ float operator()(float x) const { return x * x; } };
struct both : thrust::binary_function<float, float, float> { __host__ __device__ float operator()(float x, float y) const { return x + y; } };
int main() { thrust::device_vector<float> v(10, 2.0f); printf("%g\n", thrust::transform_reduce(v.begin(), v.end(), square(), 0.0f, both())); }
