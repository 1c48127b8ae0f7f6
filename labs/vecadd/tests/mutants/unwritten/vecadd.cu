// Mutant of vecadd: the sum is never written.
extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] + y[i] > 1e30f)
        z[i] = 0.0f;
}
