// CUDA's own words, for editors with clangd: it then knows threadIdx, __syncthreads and atomicAdd, and marks real mistakes only.
// The compiler that makes your kernels run has its own. This file is not handed in.
#pragma once
#if defined(__clang__) && !defined(__CUDA_RUNTIME_H__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))

typedef __SIZE_TYPE__ size_t;

// Vectors.
#define CUDA_WORDS_VECTOR(name, type, bytes)                                                                           \
    struct name##1 { type x; };                                                                                        \
    struct __align__(2 * bytes) name##2 { type x, y; };                                                                \
    struct name##3 { type x, y, z; };                                                                                  \
    struct __align__(4 * bytes > 16 ? 16 : 4 * bytes) name##4 { type x, y, z, w; };                                    \
    __device__ inline name##1 make_##name##1(type x) { return {x}; }                                                   \
    __device__ inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                        \
    __device__ inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                             \
    __device__ inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
CUDA_WORDS_VECTOR(char, signed char, 1)
CUDA_WORDS_VECTOR(uchar, unsigned char, 1)
CUDA_WORDS_VECTOR(short, short, 2)
CUDA_WORDS_VECTOR(ushort, unsigned short, 2)
CUDA_WORDS_VECTOR(int, int, 4)
CUDA_WORDS_VECTOR(uint, unsigned int, 4)
CUDA_WORDS_VECTOR(longlong, long long, 8)
CUDA_WORDS_VECTOR(ulonglong, unsigned long long, 8)
CUDA_WORDS_VECTOR(float, float, 4)
CUDA_WORDS_VECTOR(double, double, 8)
#undef CUDA_WORDS_VECTOR

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
};

// The place of a thread.
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
extern const __device__ int warpSize;

// Barriers and fences.
extern "C" {
__device__ void __syncthreads();
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
__device__ void __trap();
__device__ void __nanosleep(unsigned int);
__device__ long long clock64();
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ void *memcpy(void *, const void *, size_t);
__device__ void *memset(void *, int, size_t);
}
__device__ int clock();
__device__ void __syncwarp(unsigned int mask = 0xffffffff);

// Votes and exchanges of a warp.
__device__ unsigned int __activemask();
__device__ unsigned int __ballot_sync(unsigned int mask, int predicate);
__device__ int __all_sync(unsigned int mask, int predicate);
__device__ int __any_sync(unsigned int mask, int predicate);
template <typename T> __device__ unsigned int __match_any_sync(unsigned int mask, T value);
template <typename T> __device__ unsigned int __match_all_sync(unsigned int mask, T value, int *all);
template <typename T> __device__ T __shfl_sync(unsigned int mask, T value, int lane, int width = 32);
template <typename T> __device__ T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32);
template <typename T> __device__ T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32);
template <typename T> __device__ T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32);
template <typename T> __device__ T __reduce_add_sync(unsigned int mask, T value);
template <typename T> __device__ T __reduce_min_sync(unsigned int mask, T value);
template <typename T> __device__ T __reduce_max_sync(unsigned int mask, T value);
__device__ unsigned int __reduce_and_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_or_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value);

// Atomics. The value may be of another type than what is there, as 1 for an unsigned int.
#define CUDA_WORDS_ATOMIC(name)                                                                                        \
    template <typename T, typename V> __device__ T name(T *address, V value);                                          \
    template <typename T, typename V> __device__ T name##_block(T *address, V value);                                  \
    template <typename T, typename V> __device__ T name##_system(T *address, V value);
CUDA_WORDS_ATOMIC(atomicAdd)
CUDA_WORDS_ATOMIC(atomicSub)
CUDA_WORDS_ATOMIC(atomicExch)
CUDA_WORDS_ATOMIC(atomicMin)
CUDA_WORDS_ATOMIC(atomicMax)
CUDA_WORDS_ATOMIC(atomicInc)
CUDA_WORDS_ATOMIC(atomicDec)
CUDA_WORDS_ATOMIC(atomicAnd)
CUDA_WORDS_ATOMIC(atomicOr)
CUDA_WORDS_ATOMIC(atomicXor)
#undef CUDA_WORDS_ATOMIC
template <typename T, typename V, typename W> __device__ T atomicCAS(T *address, V compare, W value);

// Loads and stores that say how they use the caches.
template <typename T> __device__ T __ldg(const T *address);
template <typename T> __device__ T __ldcg(const T *address);
template <typename T> __device__ T __ldca(const T *address);
template <typename T> __device__ T __ldcs(const T *address);
template <typename T> __device__ T __ldcv(const T *address);
template <typename T, typename V> __device__ void __stcg(T *address, V value);
template <typename T, typename V> __device__ void __stcs(T *address, V value);
template <typename T, typename V> __device__ void __stwt(T *address, V value);
__device__ size_t __cvta_generic_to_shared(const void *address);
__device__ size_t __cvta_generic_to_global(const void *address);

// Bits and conversions.
__device__ int __popc(unsigned int);
__device__ int __popcll(unsigned long long);
__device__ int __clz(int);
__device__ int __clzll(long long);
__device__ int __ffs(int);
__device__ int __ffsll(long long);
__device__ unsigned int __brev(unsigned int);
__device__ unsigned int __byte_perm(unsigned int, unsigned int, unsigned int);
__device__ unsigned int __funnelshift_l(unsigned int, unsigned int, unsigned int);
__device__ unsigned int __funnelshift_r(unsigned int, unsigned int, unsigned int);
__device__ unsigned int __vcmpeq4(unsigned int, unsigned int);
__device__ unsigned int __vseteq4(unsigned int, unsigned int);
__device__ unsigned int __vsadu4(unsigned int, unsigned int);
__device__ int __dp4a(int, int, int);
__device__ unsigned int __dp4a(unsigned int, unsigned int, unsigned int);
__device__ int __mulhi(int, int);
__device__ unsigned int __umulhi(unsigned int, unsigned int);
__device__ unsigned long long __umul64hi(unsigned long long, unsigned long long);
__device__ int __mul24(int, int);
__device__ int __float_as_int(float);
__device__ unsigned int __float_as_uint(float);
__device__ float __int_as_float(int);
__device__ float __uint_as_float(unsigned int);
__device__ long long __double_as_longlong(double);
__device__ double __longlong_as_double(long long);
__device__ int __float2int_rn(float);
__device__ int __float2int_rz(float);
__device__ float __int2float_rn(int);

// Mathematics.
#define CUDA_WORDS_ONE(name)                                                                                           \
    extern "C" __device__ double name(double);                                                                         \
    extern "C" __device__ float name##f(float);
#define CUDA_WORDS_TWO(name)                                                                                           \
    extern "C" __device__ double name(double, double);                                                                 \
    extern "C" __device__ float name##f(float, float);
CUDA_WORDS_ONE(sqrt)
CUDA_WORDS_ONE(rsqrt)
CUDA_WORDS_ONE(cbrt)
CUDA_WORDS_ONE(exp)
CUDA_WORDS_ONE(exp2)
CUDA_WORDS_ONE(log)
CUDA_WORDS_ONE(log2)
CUDA_WORDS_ONE(log10)
CUDA_WORDS_ONE(sin)
CUDA_WORDS_ONE(cos)
CUDA_WORDS_ONE(tan)
CUDA_WORDS_ONE(asin)
CUDA_WORDS_ONE(acos)
CUDA_WORDS_ONE(atan)
CUDA_WORDS_ONE(tanh)
CUDA_WORDS_ONE(fabs)
CUDA_WORDS_ONE(floor)
CUDA_WORDS_ONE(ceil)
CUDA_WORDS_ONE(round)
CUDA_WORDS_ONE(rint)
CUDA_WORDS_ONE(trunc)
CUDA_WORDS_TWO(pow)
CUDA_WORDS_TWO(fmod)
CUDA_WORDS_TWO(fmin)
CUDA_WORDS_TWO(fmax)
CUDA_WORDS_TWO(atan2)
CUDA_WORDS_TWO(hypot)
#undef CUDA_WORDS_ONE
#undef CUDA_WORDS_TWO
extern "C" __device__ double fma(double, double, double);
extern "C" __device__ float fmaf(float, float, float);
__device__ float __expf(float);
__device__ float __logf(float);
__device__ float __sinf(float);
__device__ float __cosf(float);
__device__ float __fdividef(float, float);
__device__ float __fadd_rn(float, float);
__device__ float __fmul_rn(float, float);
__device__ float __fmaf_rn(float, float, float);
__device__ double __dadd_rn(double, double);
__device__ double __dmul_rn(double, double);
__device__ double __fma_rn(double, double, double);
__device__ bool isnan(double);
__device__ bool isinf(double);
extern "C" __device__ int abs(int);
template <typename T> __device__ T min(T a, T b);
template <typename T> __device__ T max(T a, T b);
__device__ long long min(long long a, long long b);
__device__ long long max(long long a, long long b);
__device__ unsigned long long min(unsigned long long a, unsigned long long b);
__device__ unsigned long long max(unsigned long long a, unsigned long long b);

#endif
