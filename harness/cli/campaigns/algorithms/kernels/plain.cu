// One thread an element, and loops over the grid.
#include "../common.cuh"
#include <cassert>

// y = a x + y, by a loop that is right for every launch.
__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

// Brightness of pixels of three bytes, whose rows begin at multiples of 512 bytes.
__global__ void brightness(const unsigned char *pixels, size_t pitch, int width, int height, unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const unsigned char *pixel = pixels + y * pitch + 3 * x;
    assert(pixel[0] <= 255 && y * width + x < width * height);
    out[y * width + x] = (unsigned char)((77 * pixel[0] + 151 * pixel[1] + 28 * pixel[2]) >> 8);
}

// Sums of neighbouring pairs: four elements a thread where there are four, and the rest one by one.
__global__ void pair_sums(int n, const int *in, int *out) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 <= n) {
        int4 v = *reinterpret_cast<const int4 *>(in + i);
        *reinterpret_cast<int2 *>(out + i / 2) = make_int2(v.x + v.y, v.z + v.w);
    } else {
        for (; i < n; i += 2) out[i / 2] = in[i] + (i + 1 < n ? in[i + 1] : 0);
    }
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"saxpy", [](int n) {
            std::vector<float> x = numbers<float>(n), y = numbers<float>(n, 1000, 2), expected = y;
            for (int i = 0; i < n; i++) expected[i] += 2 * x[i];
            Array<float> a(x), b(y);
            saxpy<<<7, 96>>>(n, 2, a.get(), b.get());
            return b.is(expected);
        }},
        {"brightness", [](int n) {
            int width = n % 131 + 1, height = n / width + 1;
            std::vector<unsigned char> pixels = numbers<unsigned char>(3 * width * height, 256), expected;
            for (int i = 0; i < width * height; i++) {
                const unsigned char *p = &pixels[3 * i];
                expected.push_back((unsigned char)((77 * p[0] + 151 * p[1] + 28 * p[2]) >> 8));
            }
            unsigned char *in;
            size_t pitch;
            OK(cudaMallocPitch(&in, &pitch, 3 * width, height));
            OK(cudaMemcpy2D(in, pitch, pixels.data(), 3 * width, 3 * width, height, cudaMemcpyHostToDevice));
            Array<unsigned char> out(width * height);
            dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
            brightness<<<grid, block>>>(in, pitch, width, height, out.get());
            bool right = out.is(expected);
            OK(cudaFree(in));
            return right;
        }},
        {"pair_sums", [](int n) {
            std::vector<int> values = numbers(n), expected((n + 1) / 2);
            for (int i = 0; i < n; i++) expected[i / 2] += values[i];
            Array<int> in(values), out(expected.size());
            pair_sums<<<n / 512 + 1, 128>>>(n, in.get(), out.get());
            return out.is(expected);
        }},
    });
}
