// A mend in the wrong place: the product has overflowed before it is made wider.
extern "C" __global__ void areas(const int* sides, long long* area, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) area[i] = (long long)(sides[2 * i] * sides[2 * i + 1]);
}
