// target: compute_80
// What single instructions cost: each kernel does one thing in a loop, so that the ratios of their times show it.

#define EIGHT(x) x x x x x x x x

extern "C" __global__ void fma_f32(float* out, int n) {
    float a = threadIdx.x, b = 0.5f, c = 1.0f;
    for (int i = 0; i < n; i++) { EIGHT(asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(b), "f"(c));) }
    out[threadIdx.x] = a;
}

extern "C" __global__ void fma_f16(unsigned short* out, int n) {
    unsigned short a = threadIdx.x, b = 0x3800, c = 0x3c00;
    for (int i = 0; i < n; i++) { EIGHT(asm volatile("fma.rn.f16 %0, %0, %1, %2;" : "+h"(a) : "h"(b), "h"(c));) }
    out[threadIdx.x] = a;
}

extern "C" __global__ void fma_f16x2(unsigned* out, int n) {
    unsigned a = threadIdx.x, b = 0x38003800, c = 0x3c003c00;
    for (int i = 0; i < n; i++) { EIGHT(asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(a) : "r"(b), "r"(c));) }
    out[threadIdx.x] = a;
}

extern "C" __global__ void fma_bf16(unsigned short* out, int n) {
    unsigned short a = threadIdx.x, b = 0x3f00, c = 0x3f80;
    for (int i = 0; i < n; i++) { EIGHT(asm volatile("fma.rn.bf16 %0, %0, %1, %2;" : "+h"(a) : "h"(b), "h"(c));) }
    out[threadIdx.x] = a;
}

extern "C" __global__ void fma_bf16x2(unsigned* out, int n) {
    unsigned a = threadIdx.x, b = 0x3f003f00, c = 0x3f803f80;
    for (int i = 0; i < n; i++) { EIGHT(asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(a) : "r"(b), "r"(c));) }
    out[threadIdx.x] = a;
}

extern "C" __global__ void add_f16(unsigned short* out, int n) {
    unsigned short a = threadIdx.x, b = 0x3800;
    for (int i = 0; i < n; i++) { EIGHT(asm volatile("add.f16 %0, %0, %1;" : "+h"(a) : "h"(b));) }
    out[threadIdx.x] = a;
}

extern "C" __global__ void max_f16(unsigned short* out, int n) {
    unsigned short a = threadIdx.x, b = 0x3800;
    for (int i = 0; i < n; i++) { EIGHT(asm volatile("max.f16 %0, %0, %1;" : "+h"(a) : "h"(b));) }
    out[threadIdx.x] = a;
}

extern "C" __global__ void cvt_f16(float* out, int n) {
    float a = threadIdx.x;
    unsigned short h;
    for (int i = 0; i < n; i++) {
        EIGHT(asm volatile("cvt.rn.f16.f32 %1, %0; cvt.f32.f16 %0, %1;" : "+f"(a), "=h"(h));)
    }
    out[threadIdx.x] = a;
}

// Eight stores to a local array and none elsewhere; the bytes are those of a thread.
template <int BYTES> __device__ void stores(float* out, int n) {
    volatile float own[BYTES / 4];
    for (int i = 0; i < n; i++) {
        int at = i & (BYTES / 4 - 8);
        EIGHT(own[at] = 1.0f; at++;)
    }
    out[threadIdx.x] = own[n & (BYTES / 4 - 8)];
}
extern "C" __global__ void local_128(float* out, int n) { stores<128>(out, n); }
extern "C" __global__ void local_1k(float* out, int n) { stores<1024>(out, n); }
extern "C" __global__ void local_8k(float* out, int n) { stores<8192>(out, n); }
extern "C" __global__ void local_32k(float* out, int n) { stores<32768>(out, n); }

extern "C" __global__ void local_loads(float* out, int n) {
    volatile float own[256];
    for (int i = 0; i < 256; i++) own[i] = i;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        int at = i & 248;
        EIGHT(sum = own[at]; at++;)
    }
    out[threadIdx.x] = sum;
}

// All threads of a grid change one word.
extern "C" __global__ void count_all(unsigned* sum, int n) {
    for (int i = 0; i < n; i++) atomicAdd(sum, 1u);
}

extern "C" __global__ void sum_all(float* sum, int n) {
    for (int i = 0; i < n; i++) atomicAdd(sum, 1.0f);
}
