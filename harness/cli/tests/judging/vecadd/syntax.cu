// refused: error: expected a ";"
extern "C" __global__ void add(const float* x, const float* y, float* sum, int n) { sum[0] = x[0] }
