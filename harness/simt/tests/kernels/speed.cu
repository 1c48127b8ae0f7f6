// What the speed of the machine is measured with.

extern "C" __global__ void vecadd(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

__device__ float f(float x) { return x * x + 1.0f; }

extern "C" __global__ void trapezoid_atomic(float a, float h, int n, float* sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (0 < i && i < n) atomicAdd(sum, f(a + i * h));
}

extern "C" __global__ void trapezoid_shuffle(float a, float h, int n, float* sum) {
    __shared__ float warp_sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float value = 0 < i && i < n ? f(a + i * h) : 0.0f;
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
    if (lane == 0) warp_sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = threadIdx.x < blockDim.x / 32 ? warp_sums[lane] : 0.0f;
        for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
        if (lane == 0) atomicAdd(sum, value);
    }
}

extern "C" __global__ void histogram(const unsigned char* text, unsigned* bins, int n) {
    __shared__ unsigned local[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) local[k] = 0;
    __syncthreads();
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) atomicAdd(&local[text[k]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) if (local[k]) atomicAdd(&bins[k], local[k]);
}

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int t = 0; t < n / 16; t++) {
        ta[y][x] = a[row * n + t * 16 + x];
        tb[y][x] = b[(t * 16 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
