// refused: the argument `answers` is neither a buffer nor a size
// launch: add<<<1, 32>>>(x, y, answers, n)
extern "C" __global__ void add(const float* x, const float* y, float* sum, int n) {}
