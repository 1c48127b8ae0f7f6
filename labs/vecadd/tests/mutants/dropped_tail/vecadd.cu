// Mutant of vecadd: only full blocks add.
extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n)
{
    unsigned long long first = (unsigned long long)blockIdx.x * blockDim.x;
    if (first + blockDim.x <= n)
        z[first + threadIdx.x] = x[first + threadIdx.x] + y[first + threadIdx.x];
}
