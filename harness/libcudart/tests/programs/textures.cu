// Textures over arrays of one, two and three dimensions: addresses, filters, coordinates and formats, against the
// formulas of the programming guide.
#include "common.cuh"
#include <cmath>
#include <vector>

__global__ void fetch_1d(cudaTextureObject_t t, const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float>(t, x[i]);
}

__global__ void fetch_2d(cudaTextureObject_t t, const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(t, x[i], y[i]);
}

__global__ void fetch_3d(cudaTextureObject_t t, const float *x, const float *y, const float *z, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<float>(t, x[i], y[i], z[i]);
}

template <class T, class W>
__global__ void channels(cudaTextureObject_t t, W *out, int width) {
    T v = tex2D<T>(t, threadIdx.x, threadIdx.y);
    W *to = out + 4 * (threadIdx.y * width + threadIdx.x);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

__global__ void gather(cudaTextureObject_t t, float x, float y, float4 *out) {
    *out = tex2Dgather<float4>(t, x, y, 0);
}

const int W = 6, H = 5, D = 4, N = 512;

int wrapped(int i, int n, cudaTextureAddressMode mode) {
    switch (mode) {
    case cudaAddressModeWrap: return ((i % n) + n) % n;
    case cudaAddressModeMirror: {
        int at = ((i % (2 * n)) + 2 * n) % (2 * n);
        return at < n ? at : 2 * n - 1 - at;
    }
    case cudaAddressModeBorder: return i < 0 || i >= n ? -1 : i;
    default: return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

// One axis of the reference: two texels and the weight of the second.
struct Axis {
    int at[2];
    double weight;
};

Axis axis(float x, int n, int d, const cudaTextureDesc &how) {
    // A linear filter reads a row at the edge of a texture of one row: half of it is border.
    if (n == 1 && d == 1 && how.filterMode == cudaFilterModeLinear && how.addressMode[1] == cudaAddressModeBorder)
        return {{-1, 0}, 0.5};
    if (n == 1) return {{0, 0}, 0};
    double u = how.normalizedCoords ? (double)x * n : x;
    cudaTextureAddressMode mode = how.addressMode[0];
    bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    if (repeats && !how.normalizedCoords) mode = cudaAddressModeClamp;
    if (how.filterMode == cudaFilterModePoint) {
        int i = wrapped((int)floor(u), n, mode);
        return {{i, i}, 0};
    }
    int i = (int)floor(u - 0.5);
    return {{wrapped(i, n, mode), wrapped(i + 1, n, mode)}, u - 0.5 - i};
}

double reference(const std::vector<float> &texels, const int (&extents)[3], const float (&at)[3],
                 const cudaTextureDesc &how) {
    Axis axes[3];
    for (int d = 0; d < 3; d++) axes[d] = axis(at[d], extents[d], d, how);
    double sum = 0;
    for (int k = 0; k < 8; k++) {
        int x = axes[0].at[k & 1], y = axes[1].at[k >> 1 & 1], z = axes[2].at[k >> 2];
        double weight = 1;
        for (int d = 0; d < 3; d++) weight *= k >> d & 1 ? axes[d].weight : 1 - axes[d].weight;
        bool border = x < 0 || y < 0 || z < 0;
        if (weight != 0) sum += weight * (border ? 0.5 : texels[(z * extents[1] + y) * extents[0] + x]);
    }
    return sum;
}

// Coordinates from one texture before the texture to one behind it, away from where rounding decides.
std::vector<float> coordinates(int n, bool normalized, unsigned seed) {
    std::vector<float> all(N);
    for (float &x : all) {
        seed = seed * 1664525 + 1013904223;
        int part = (int)(seed >> 8) % (48 * n);
        x = (part / 16.0f - n + 1 / 64.0f) / (normalized ? n : 1);
    }
    return all;
}

float *upload(const std::vector<float> &host) {
    float *device;
    OK(cudaMalloc(&device, host.size() * sizeof(float)));
    OK(cudaMemcpy(device, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

void dimensions(int count) {
    const int extents[3] = {W, count > 1 ? H : 1, count > 2 ? D : 1};
    std::vector<float> texels(extents[0] * extents[1] * extents[2]);
    for (size_t i = 0; i < texels.size(); i++) texels[i] = (i * 37 % 101) / 8.0f;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMalloc3DArray(&array, &channel, make_cudaExtent(W, count > 1 ? H : 0, count > 2 ? D : 0)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), W * sizeof(float), W, extents[1]);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(W, extents[1], extents[2]);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    float *out;
    OK(cudaMalloc(&out, N * sizeof(float)));
    for (int mode = 0; mode < 4; mode++)
        for (int how = 0; how < 4; how++) {
            cudaTextureDesc desc = {};
            for (auto &address : desc.addressMode) address = (cudaTextureAddressMode)mode;
            desc.filterMode = how & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
            desc.normalizedCoords = how >> 1;
            desc.borderColor[0] = 0.5f;
            cudaTextureObject_t texture;
            OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
            std::vector<float> at[3], got(N);
            float *device[3];
            for (int d = 0; d < 3; d++) {
                at[d] = coordinates(extents[d], desc.normalizedCoords, d + 1);
                device[d] = upload(at[d]);
            }
            if (count == 1) fetch_1d<<<2, 256>>>(texture, device[0], out, N);
            if (count == 2) fetch_2d<<<2, 256>>>(texture, device[0], device[1], out, N);
            if (count == 3) fetch_3d<<<2, 256>>>(texture, device[0], device[1], device[2], out, N);
            OK(cudaMemcpy(got.data(), out, N * sizeof(float), cudaMemcpyDeviceToHost));
            for (int i = 0; i < N; i++) {
                double want = reference(texels, extents, {at[0][i], at[1][i], at[2][i]}, desc);
                // A weight is rounded to 1/256 in each dimension, and no two texels differ by more than 13.
                double most = desc.filterMode == cudaFilterModePoint ? 0 : count * 13 / 256.0;
                if (!(fabs(got[i] - want) <= most)) {
                    printf("%d-D, mode %d, way %d, at %g %g %g: %g in place of %g\n", count, mode, how, at[0][i],
                           at[1][i], at[2][i], got[i], want);
                    exit(1);
                }
            }
            for (float *pointer : device) OK(cudaFree(pointer));
            OK(cudaDestroyTextureObject(texture));
        }
    OK(cudaFree(out));
    OK(cudaFreeArray(array));
}

// Four channels of 8 bits, as integers and as fractions.
void formats() {
    const int width = 8, height = 4;
    std::vector<uchar4> texels(width * height);
    for (int i = 0; i < width * height; i++) texels[i] = make_uchar4(i * 8, 255 - i, i, 128 + i);
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &channel, width, height));
    OK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t whole, part;
    OK(cudaCreateTextureObject(&whole, &resource, &desc, nullptr));
    desc.readMode = cudaReadModeNormalizedFloat;
    OK(cudaCreateTextureObject(&part, &resource, &desc, nullptr));
    unsigned *words;
    float *fractions;
    OK(cudaMallocManaged(&words, 4 * width * height * sizeof(unsigned)));
    OK(cudaMallocManaged(&fractions, 4 * width * height * sizeof(float)));
    channels<uchar4><<<1, dim3(width, height)>>>(whole, words, width);
    channels<float4><<<1, dim3(width, height)>>>(part, fractions, width);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < width * height; i++) {
        const unsigned char want[4] = {texels[i].x, texels[i].y, texels[i].z, texels[i].w};
        for (int c = 0; c < 4; c++) {
            IS(words[4 * i + c] == want[c]);
            IS(fractions[4 * i + c] == want[c] / 255.0f);
        }
    }
    cudaTextureDesc told;
    cudaResourceDesc from;
    OK(cudaGetTextureObjectTextureDesc(&told, part));
    OK(cudaGetTextureObjectResourceDesc(&from, part));
    IS(told.readMode == cudaReadModeNormalizedFloat && told.addressMode[1] == cudaAddressModeClamp);
    IS(from.resType == cudaResourceTypeArray && from.res.array.array == array);
    OK(cudaDestroyTextureObject(whole));
    OK(cudaDestroyTextureObject(part));
    desc.readMode = cudaReadModeElementType;
    desc.filterMode = cudaFilterModeLinear;
    IS(CODE(cudaCreateTextureObject(&whole, &resource, &desc, nullptr)) != cudaSuccess);
    OK(cudaFreeArray(array));
    OK(cudaFree(words));
    OK(cudaFree(fractions));
}

void gathers() {
    float texels[4][4];
    for (int i = 0; i < 16; i++) texels[i / 4][i % 4] = i;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &channel, 4, 4, cudaArrayTextureGather));
    OK(cudaMemcpy2DToArray(array, 0, 0, texels, 16, 16, 4, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    float4 *out;
    OK(cudaMallocManaged(&out, sizeof(float4)));
    gather<<<1, 1>>>(texture, 2.0f, 1.75f, out);
    OK(cudaDeviceSynchronize());
    IS(out->x == 9 && out->y == 10 && out->z == 6 && out->w == 5);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(array));
    OK(cudaFree(out));
}

int main() {
    for (int count = 1; count <= 3; count++) dimensions(count);
    formats();
    gathers();
    puts("textures are right");
}
