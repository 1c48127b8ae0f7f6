// A stencil that writes its output over its input.
// Race: a thread overwrites an element that its neighbour, maybe of another block, has still to read.
// Fix: another array for the output.
#include "common.cuh"

__global__ void blur(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        int sum = in[i - 1] + in[i] + in[i + 1]; // race
        out[i] = sum; // race
    }
}

int main() {
    const int n = 8 * 128;
    std::vector<int> in = numbers(n), expected = in;
    for (int i = 1; i < n - 1; i++) expected[i] = in[i - 1] + in[i] + in[i + 1];
    int *x = on_device(in);
#ifdef RACY
    int *y = x;
#else
    int *y = on_device(in);
#endif
    blur<<<8, 128>>>(x, y, n);
    return answer(on_host(y, n) == expected);
}
