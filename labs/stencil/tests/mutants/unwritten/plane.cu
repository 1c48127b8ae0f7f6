// Broken on purpose. The border of the plane is never written.
extern "C" __global__ void mean_naive(const float* in, float* out, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x + 1 >= width || y < 1 || y + 1 >= height) return;
    size_t i = (size_t)y * width + x;
    out[i] = (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]) / 5.0f;
}
