// Vector addition, z = x + y: one kernel, because the lab is about where the vectors lie.
//
//   vecadd         one element a thread; the grid must have at least n threads
//   vecadd_stride  like vecadd, but each thread strides over the grid, so that any grid serves any n

extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n)
{
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = x[i] + y[i];
}

extern "C" __global__ void vecadd_stride(const float *x, const float *y, float *z, unsigned long long n)
{
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        z[i] = x[i] + y[i];
}
