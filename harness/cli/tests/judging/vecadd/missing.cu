// refused: it has no kernel `ad`
// launch: ad<<<ceil_div(n, 256), 256>>>(x, y, sum, n)
extern "C" __global__ void add(const float* x, const float* y, float* sum, int n) { }
