// CUDA's functions of half precision.
// target: compute_80
//
// A line is a kernel: its name, the types of its result and of x, y and z, and what it does with them. The test reads these lines.
#include <cuda_fp16.h>

typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
typedef __half f16;
typedef __half2 f16x2;

#define COUNT 1024
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define ARGUMENT(type, number) (*(const type*)(from + number * COUNT + THREAD))
#define KERNEL(name) extern "C" __global__ void name(const u64* from, u64* to)
#define ONE(name, R, A, what) \
    KERNEL(name) { A x = ARGUMENT(A, 0); *(R*)(to + THREAD) = what; }
#define TWO(name, R, A, B, what) \
    KERNEL(name) { A x = ARGUMENT(A, 0); B y = ARGUMENT(B, 1); *(R*)(to + THREAD) = what; }
#define THREE(name, R, A, B, C, what) \
    KERNEL(name) { A x = ARGUMENT(A, 0); B y = ARGUMENT(B, 1); C z = ARGUMENT(C, 2); *(R*)(to + THREAD) = what; }

ONE(of_hceil, f16, f16, hceil(x))
ONE(of_hcos, f16, f16, hcos(x))
ONE(of_hexp, f16, f16, hexp(x))
ONE(of_hexp10, f16, f16, hexp10(x))
ONE(of_hexp2, f16, f16, hexp2(x))
ONE(of_hfloor, f16, f16, hfloor(x))
ONE(of_hlog, f16, f16, hlog(x))
ONE(of_hlog10, f16, f16, hlog10(x))
ONE(of_hlog2, f16, f16, hlog2(x))
ONE(of_hrcp, f16, f16, hrcp(x))
ONE(of_hrint, f16, f16, hrint(x))
ONE(of_hrsqrt, f16, f16, hrsqrt(x))
ONE(of_hsin, f16, f16, hsin(x))
ONE(of_hsqrt, f16, f16, hsqrt(x))
ONE(of_htrunc, f16, f16, htrunc(x))
TWO(of_hadd, f16, f16, f16, __hadd(x, y))
TWO(of_hsub, f16, f16, f16, __hsub(x, y))
TWO(of_hmul, f16, f16, f16, __hmul(x, y))
TWO(of_hdiv, f16, f16, f16, __hdiv(x, y))
TWO(of_hadd_sat, f16, f16, f16, __hadd_sat(x, y))
TWO(of_hmul_sat, f16, f16, f16, __hmul_sat(x, y))
TWO(of_hadd_rn, f16, f16, f16, __hadd_rn(x, y))
TWO(of_hmul_rn, f16, f16, f16, __hmul_rn(x, y))
TWO(of_hmax, f16, f16, f16, __hmax(x, y))
TWO(of_hmin, f16, f16, f16, __hmin(x, y))
TWO(of_hmax_nan, f16, f16, f16, __hmax_nan(x, y))
TWO(of_hmin_nan, f16, f16, f16, __hmin_nan(x, y))
THREE(of_hfma, f16, f16, f16, f16, __hfma(x, y, z))
THREE(of_hfma_sat, f16, f16, f16, f16, __hfma_sat(x, y, z))
THREE(of_hfma_relu, f16, f16, f16, f16, __hfma_relu(x, y, z))
ONE(of_hneg, f16, f16, __hneg(x))
ONE(of_habs, f16, f16, __habs(x))
TWO(of_heq, i32, f16, f16, __heq(x, y))
TWO(of_hne, i32, f16, f16, __hne(x, y))
TWO(of_hlt, i32, f16, f16, __hlt(x, y))
TWO(of_hle, i32, f16, f16, __hle(x, y))
TWO(of_hgt, i32, f16, f16, __hgt(x, y))
TWO(of_hge, i32, f16, f16, __hge(x, y))
TWO(of_hequ, i32, f16, f16, __hequ(x, y))
TWO(of_hneu, i32, f16, f16, __hneu(x, y))
TWO(of_hltu, i32, f16, f16, __hltu(x, y))
TWO(of_hleu, i32, f16, f16, __hleu(x, y))
TWO(of_hgtu, i32, f16, f16, __hgtu(x, y))
TWO(of_hgeu, i32, f16, f16, __hgeu(x, y))
ONE(of_hisnan, i32, f16, __hisnan(x))
ONE(of_hisinf, i32, f16, __hisinf(x))
ONE(of_h2cos, f16x2, f16x2, h2cos(x))
ONE(of_h2exp, f16x2, f16x2, h2exp(x))
ONE(of_h2log, f16x2, f16x2, h2log(x))
ONE(of_h2rcp, f16x2, f16x2, h2rcp(x))
ONE(of_h2sqrt, f16x2, f16x2, h2sqrt(x))
ONE(of_h2sin, f16x2, f16x2, h2sin(x))
ONE(of_h2floor, f16x2, f16x2, h2floor(x))
TWO(of_hadd2, f16x2, f16x2, f16x2, __hadd2(x, y))
TWO(of_hsub2, f16x2, f16x2, f16x2, __hsub2(x, y))
TWO(of_hmul2, f16x2, f16x2, f16x2, __hmul2(x, y))
TWO(of_h2div, f16x2, f16x2, f16x2, __h2div(x, y))
TWO(of_heq2, f16x2, f16x2, f16x2, __heq2(x, y))
TWO(of_hle2, f16x2, f16x2, f16x2, __hle2(x, y))
TWO(of_hmax2, f16x2, f16x2, f16x2, __hmax2(x, y))
TWO(of_hmin2, f16x2, f16x2, f16x2, __hmin2(x, y))
THREE(of_hfma2, f16x2, f16x2, f16x2, f16x2, __hfma2(x, y, z))
TWO(of_hbeq2, i32, f16x2, f16x2, __hbeq2(x, y))
ONE(of_hisnan2, f16x2, f16x2, __hisnan2(x))
ONE(of_lowhigh, f16x2, f16x2, __lowhigh2highlow(x))
ONE(of_half2float, f32, f16, __half2float(x))
ONE(of_float2half_rn, f16, f32, __float2half_rn(x))
ONE(of_half2int_rn, i32, f16, __half2int_rn(x))
ONE(of_int2half_rn, f16, i32, __int2half_rn(x))
ONE(of_half2ll_rn, i64, f16, __half2ll_rn(x))
ONE(of_ull2half_rn, f16, u64, __ull2half_rn(x))
ONE(of_float2half_rz, f16, f32, __float2half_rz(x))
ONE(of_half2int_rz, i32, f16, __half2int_rz(x))
ONE(of_int2half_rz, f16, i32, __int2half_rz(x))
ONE(of_half2ll_rz, i64, f16, __half2ll_rz(x))
ONE(of_ull2half_rz, f16, u64, __ull2half_rz(x))
ONE(of_float2half_ru, f16, f32, __float2half_ru(x))
ONE(of_half2int_ru, i32, f16, __half2int_ru(x))
ONE(of_int2half_ru, f16, i32, __int2half_ru(x))
ONE(of_half2ll_ru, i64, f16, __half2ll_ru(x))
ONE(of_ull2half_ru, f16, u64, __ull2half_ru(x))
ONE(of_float2half_rd, f16, f32, __float2half_rd(x))
ONE(of_half2int_rd, i32, f16, __half2int_rd(x))
ONE(of_int2half_rd, f16, i32, __int2half_rd(x))
ONE(of_half2ll_rd, i64, f16, __half2ll_rd(x))
ONE(of_ull2half_rd, f16, u64, __ull2half_rd(x))
ONE(of_double2half, f16, f64, __double2half(x))
