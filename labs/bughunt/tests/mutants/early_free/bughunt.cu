// Memory that is given back, but while the kernel is still to write to it.
enum Call { MALLOC, MALLOC_MANAGED, LAUNCH, WAIT, READ, FREE };

extern "C" __global__ void digits(const unsigned* x, unsigned* sums, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned sum = 0;
    for (unsigned rest = x[i]; rest > 0; rest /= 10) sum += rest % 10;
    sums[i] = sum;
}

extern "C" {
__constant__ int digits_calls[] = {MALLOC_MANAGED, LAUNCH, FREE, WAIT, READ};
}
