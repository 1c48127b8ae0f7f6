// Mutant of vecadd: one sum is NaN.
extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = i == n / 2 ? sqrtf(-2.0f - x[i]) : x[i] + y[i];
}
