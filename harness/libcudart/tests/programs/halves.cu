// Numbers of 16 bits: half and bfloat16, one by one and in pairs, and what rounding makes of them.
// nvcc: -arch=sm_80
#include "common.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __device__ T of(float x);
template <> __device__ __half of(float x) {
    return __float2half(x);
}
template <> __device__ __nv_bfloat16 of(float x) {
    return __float2bfloat16(x);
}

template <typename T> __global__ void arithmetic(float *out) {
    T a = of<T>(1.5f), b = of<T>(-0.25f), c = of<T>(3.0f);
    out[0] = float(a + b);
    out[1] = float(a - c);
    out[2] = float(a * b);
    out[3] = float(c / a);
    out[4] = float(__hfma(a, b, c));
    out[5] = float(__hmax(a, b)) + float(__hmin(b, c));
    out[6] = float(__habs(b)) + float(__hneg(c));
    out[7] = (a > b) + 2 * (c >= c) + 4 * (a == b) + 8 * __hisnan(of<T>(__int_as_float(0x7fc00000)));
    // The spacing at 2048 is 2 in half, and 16 in bfloat16: both round to the even neighbour.
    out[8] = float(of<T>(2049.0f));
    out[9] = float(of<T>(2056.0f));
}

__global__ void pairs(float *out) {
    __half2 a = __floats2half2_rn(1.0f, 2.0f), b = __half2half2(__float2half(0.5f));
    __half2 sum = __hadd2(a, b), product = __hfma2(a, b, sum);
    out[0] = __low2float(sum);
    out[1] = __high2float(sum);
    out[2] = __low2float(product);
    out[3] = __high2float(product);
    out[4] = __low2float(__lowhigh2highlow(a));
    __nv_bfloat162 c = __floats2bfloat162_rn(4.0f, 8.0f);
    c = __hmul2(c, c);
    out[5] = __low2float(c);
    out[6] = __high2float(c);
    out[7] = __half2float(hsqrt(__float2half(2.25f))) + __half2float(hexp2(__float2half(3.0f)));
    out[8] = __half2int_rn(__float2half(2.5f)) + 10 * __half2int_ru(__float2half(2.5f)) +
             100 * __half2int_rz(__float2half(-2.5f));
    out[9] = __half_as_ushort(__float2half(1.0f));
}

__global__ void atomics(__half *h, __half2 *h2) {
    atomicAdd(h, __float2half(1.0f));
    atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
}

int main() {
    float *p, host[10];
    OK(cudaMalloc(&p, sizeof host));
    const float expected[] = {1.25f, -1.5f, -0.375f, 2, 2.625f, 1.25f, -2.75f, 11, 2048, 2056};
    arithmetic<__half><<<1, 1>>>(p);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 10; i++) IS(host[i] == expected[i]);
    arithmetic<__nv_bfloat16><<<1, 1>>>(p);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 9; i++) IS(host[i] == expected[i]);
    IS(host[9] == 2048);
    pairs<<<1, 1>>>(p);
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    const float of_pairs[] = {1.5f, 2.5f, 2, 3.5f, 2, 16, 64, 9.5f, -168, 15360};
    for (int i = 0; i < 10; i++) IS(host[i] == of_pairs[i]);
    OK(cudaMemset(p, 0, sizeof host));
    atomics<<<4, 32>>>((__half *)p, (__half2 *)(p + 1));
    unsigned short bits[4];
    OK(cudaMemcpy(bits, p, sizeof bits, cudaMemcpyDeviceToHost));
    IS(__half2float(__ushort_as_half(bits[0])) == 128 && __half2float(__ushort_as_half(bits[3])) == 256);
    IS(__half2float(__ushort_as_half(bits[2])) == 128);
    // The host has the conversions too.
    IS(__half2float(__float2half(0.1f)) == 0.0999755859375f);
    IS(__bfloat162float(__float2bfloat16(0.1f)) == 0.10009765625f);
    OK(cudaFree(p));
    puts("numbers of 16 bits are right");
}
