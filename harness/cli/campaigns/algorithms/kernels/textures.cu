// Memory that is read in its own ways: textures, surfaces and constants, and output of kernels.
#include "../common.cuh"

__constant__ int weights[5];

// A weighted sum of five neighbours, by a texture that repeats the border.
__global__ void weighted(cudaTextureObject_t texture, int *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int sum = 0;
    for (int k = -2; k <= 2; k++) sum += weights[k + 2] * tex2D<int>(texture, x + k + 0.5f, y + 0.5f);
    out[y * width + x] = sum;
}

// Turns an image upside down, from one surface to another.
__global__ void flip(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    surf2Dwrite(surf2Dread<int>(in, x * 4, y), out, x * 4, height - 1 - y);
}

__device__ int counter;
__device__ int table[256];

// Counts bytes in variables of the module, with a line of output from the first thread.
__global__ void count(const unsigned char *in, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) printf("counting %d bytes\n", n);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&table[in[i]], 1);
    atomicAdd(&counter, 1);
}

// An image in an array, of a width and height that fit n.
struct Image {
    int width, height;
    std::vector<int> values;
    cudaArray_t array;
    explicit Image(int n) : width(n % 61 + 1), height(std::min(n, 5000) / width + 1), values(numbers(width * height)) {
        cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
        OK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
        OK(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
    }
    ~Image() { OK(cudaFreeArray(array)); }
    dim3 grid() const { return dim3((width + 15) / 16, (height + 3) / 4); }
    cudaResourceDesc resource() const {
        cudaResourceDesc description = {};
        description.resType = cudaResourceTypeArray;
        description.res.array.array = array;
        return description;
    }
};

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"weighted", [](int n) {
            Image image(n);
            int host[5] = {1, 4, 6, 4, 1};
            OK(cudaMemcpyToSymbol(weights, host, sizeof host));
            cudaTextureDesc how = {};
            how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
            cudaTextureObject_t texture;
            cudaResourceDesc what = image.resource();
            OK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
            Array<int> out(image.values.size());
            weighted<<<image.grid(), dim3(16, 4)>>>(texture, out.get(), image.width, image.height);
            std::vector<int> expected(image.values.size());
            for (int i = 0; i < int(expected.size()); i++) {
                int x = i % image.width, row = i - x;
                for (int k = -2; k <= 2; k++)
                    expected[i] += host[k + 2] * image.values[row + std::clamp(x + k, 0, image.width - 1)];
            }
            bool right = out.is(expected);
            OK(cudaDestroyTextureObject(texture));
            return right;
        }},
        {"flip", [](int n) {
            Image from(n), to(n);
            cudaSurfaceObject_t in, out;
            cudaResourceDesc source = from.resource(), target = to.resource();
            OK(cudaCreateSurfaceObject(&in, &source));
            OK(cudaCreateSurfaceObject(&out, &target));
            flip<<<from.grid(), dim3(16, 4)>>>(in, out, from.width, from.height);
            std::vector<int> back(from.values.size());
            size_t row = from.width * 4;
            OK(cudaMemcpy2DFromArray(back.data(), row, to.array, 0, 0, row, from.height, cudaMemcpyDeviceToHost));
            OK(cudaDestroySurfaceObject(in));
            OK(cudaDestroySurfaceObject(out));
            for (int i = 0; i < int(back.size()); i++)
                if (back[(from.height - 1 - i / from.width) * from.width + i % from.width] != from.values[i]) return false;
            return true;
        }},
        {"count", [](int n) {
            std::vector<unsigned char> values = numbers<unsigned char>(n, 256);
            std::vector<int> expected(256), found(256);
            for (unsigned char value : values) expected[value]++;
            int zero = 0, total;
            OK(cudaMemcpyToSymbol(table, found.data(), sizeof table));
            OK(cudaMemcpyToSymbol(counter, &zero, sizeof zero));
            Array<unsigned char> in(values);
            count<<<(n + 127) / 128, 128>>>(in.get(), n);
            OK(cudaMemcpyFromSymbol(found.data(), table, sizeof table));
            OK(cudaMemcpyFromSymbol(&total, counter, sizeof total));
            return found == expected && total == n;
        }},
    });
}
