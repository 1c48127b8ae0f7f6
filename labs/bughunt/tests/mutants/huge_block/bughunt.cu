// A mend by larger blocks, which no device has.
struct Shape {
    unsigned blocks, threads, shared_bytes;
};

extern "C" __global__ void clamp(const float* x, float* y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fminf(fmaxf(x[i], -1.0f), 1.0f);
}

extern "C" __global__ void clamp_shape(size_t n, Shape* shape) {
    shape->threads = 2048;
    shape->blocks = n / shape->threads + 1;
    shape->shared_bytes = 0;
}
