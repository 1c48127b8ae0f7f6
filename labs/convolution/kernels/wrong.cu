// Convolutions that are wrong on purpose.
//
//  halo_off_by_one   like line_shared in convolution.cu, but the halo on the right ends one element early.
//  mask_not_copied   like line_constant, with a mask in constant memory that the host never fills.
//  edges_wrapped     like image_constant, but only the index of a point is tested, and not its column: beyond an edge on
//                    the left or on the right lies the other end of a neighbouring row.
#define TAPS 17

__constant__ float mask[TAPS * TAPS];
// The host's copy goes to `mask`.
__constant__ float forgotten_mask[TAPS];

// Takes blockDim.x + 2 radius floats of dynamic shared memory.
extern "C" __global__ void halo_off_by_one(const float* x, float* y, unsigned long long n, int radius) {
    extern __shared__ float s[];
    long long end = n, first = (long long)blockIdx.x * blockDim.x - radius;
    for (int c = threadIdx.x; c < (int)blockDim.x + 2 * radius - 1; c += blockDim.x) {
        s[c] = first + c >= 0 && first + c < end ? x[first + c] : 0.0f;
    }
    __syncthreads();
    long long i = first + radius + threadIdx.x;
    if (i >= end) return;
    float sum = 0.0f;
    for (int j = 0; j <= 2 * radius; j++) sum += mask[j] * s[threadIdx.x + j];
    y[i] = sum;
}

extern "C" __global__ void mask_not_copied(const float* x, float* y, unsigned long long n, int radius) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, end = n;
    if (i >= end) return;
    float sum = 0.0f;
    for (int j = -radius; j <= radius; j++) {
        if (i + j >= 0 && i + j < end) sum += forgotten_mask[radius + j] * x[i + j];
    }
    y[i] = sum;
}

extern "C" __global__ void edges_wrapped(const float* in, float* out, int width, int height, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
    long long points = (long long)width * height;
    for (int i = -radius; i <= radius; i++) {
        for (int j = -radius; j <= radius; j++) {
            long long at = (long long)(y + i) * width + x + j;
            if (at >= 0 && at < points) sum += mask[(radius + i) * (2 * radius + 1) + radius + j] * in[at];
        }
    }
    out[(size_t)y * width + x] = sum;
}
