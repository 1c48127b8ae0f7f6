// wrong: did not end
extern "C" __global__ void add(const float* x, const float* y, float* sum, int n) { while (*(volatile const float*)x < 2.0f) { sum[0] = 1; } }
