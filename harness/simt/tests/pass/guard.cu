// launch: scale<<<4, 256>>>(x: f32[1000] = index, 2.0, 1000)
// The last block has more threads than elements are left: they do nothing.
extern "C" __global__ void scale(float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}
