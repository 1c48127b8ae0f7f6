// CUDA's functions of single precision, and the fast and the rounded ones.
//
// A line is a kernel: its name, the types of its result and of x, y and z, and what it does with them. The test reads these lines.

typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

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

__device__ f32 sine(f32 x) { f32 s, c; sincosf(x, &s, &c); return s; }
__device__ f32 cosine(f32 x) { f32 s, c; sincosf(x, &s, &c); return c; }
__device__ f32 sine_pi(f32 x) { f32 s, c; sincospif(x, &s, &c); return s; }
__device__ f32 cosine_pi(f32 x) { f32 s, c; sincospif(x, &s, &c); return c; }
__device__ f32 mantissa(f32 x) { int e; return frexpf(x, &e); }
__device__ int exponent(f32 x) { int e; frexpf(x, &e); return isfinite(x) ? e : 0; }
__device__ f32 fraction(f32 x) { f32 w; return modff(x, &w); }
__device__ f32 whole(f32 x) { f32 w; modff(x, &w); return w; }
__device__ f32 rest(f32 x, f32 y) { int q; return remquof(x, y, &q); }
// Its last three bits and its sign are promised, where there is one.
__device__ int quotient(f32 x, f32 y) {
    int q = 0;
    remquof(x, y, &q);
    if (isnan(x) || isnan(y) || isinf(x) || y == 0) return 0;
    return q < 0 ? -(-q & 7) : q & 7;
}

ONE(of_acosf, f32, f32, acosf(x))
ONE(of_acoshf, f32, f32, acoshf(x))
ONE(of_asinf, f32, f32, asinf(x))
ONE(of_asinhf, f32, f32, asinhf(x))
ONE(of_atanf, f32, f32, atanf(x))
ONE(of_atanhf, f32, f32, atanhf(x))
ONE(of_cbrtf, f32, f32, cbrtf(x))
ONE(of_ceilf, f32, f32, ceilf(x))
ONE(of_cosf, f32, f32, cosf(x))
ONE(of_coshf, f32, f32, coshf(x))
ONE(of_cospif, f32, f32, cospif(x))
ONE(of_erff, f32, f32, erff(x))
ONE(of_erfcf, f32, f32, erfcf(x))
ONE(of_erfcinvf, f32, f32, erfcinvf(x))
ONE(of_erfcxf, f32, f32, erfcxf(x))
ONE(of_erfinvf, f32, f32, erfinvf(x))
ONE(of_expf, f32, f32, expf(x))
ONE(of_exp10f, f32, f32, exp10f(x))
ONE(of_exp2f, f32, f32, exp2f(x))
ONE(of_expm1f, f32, f32, expm1f(x))
ONE(of_fabsf, f32, f32, fabsf(x))
ONE(of_floorf, f32, f32, floorf(x))
ONE(of_j0f, f32, f32, j0f(x))
ONE(of_lgammaf, f32, f32, lgammaf(x))
ONE(of_logf, f32, f32, logf(x))
ONE(of_log10f, f32, f32, log10f(x))
ONE(of_log1pf, f32, f32, log1pf(x))
ONE(of_log2f, f32, f32, log2f(x))
ONE(of_logbf, f32, f32, logbf(x))
ONE(of_nearbyintf, f32, f32, nearbyintf(x))
ONE(of_normcdff, f32, f32, normcdff(x))
ONE(of_normcdfinvf, f32, f32, normcdfinvf(x))
ONE(of_rcbrtf, f32, f32, rcbrtf(x))
ONE(of_rintf, f32, f32, rintf(x))
ONE(of_roundf, f32, f32, roundf(x))
ONE(of_rsqrtf, f32, f32, rsqrtf(x))
ONE(of_sinf, f32, f32, sinf(x))
ONE(of_sinhf, f32, f32, sinhf(x))
ONE(of_sinpif, f32, f32, sinpif(x))
ONE(of_sqrtf, f32, f32, sqrtf(x))
ONE(of_tanf, f32, f32, tanf(x))
ONE(of_tanhf, f32, f32, tanhf(x))
ONE(of_tgammaf, f32, f32, tgammaf(x))
ONE(of_truncf, f32, f32, truncf(x))
TWO(of_atan2f, f32, f32, f32, atan2f(x, y))
TWO(of_copysignf, f32, f32, f32, copysignf(x, y))
TWO(of_fdimf, f32, f32, f32, fdimf(x, y))
TWO(of_fmaxf, f32, f32, f32, fmaxf(x, y))
TWO(of_fminf, f32, f32, f32, fminf(x, y))
TWO(of_fmodf, f32, f32, f32, fmodf(x, y))
TWO(of_hypotf, f32, f32, f32, hypotf(x, y))
TWO(of_nextafterf, f32, f32, f32, nextafterf(x, y))
TWO(of_powf, f32, f32, f32, powf(x, y))
TWO(of_remainderf, f32, f32, f32, remainderf(x, y))
TWO(of_rhypotf, f32, f32, f32, rhypotf(x, y))
THREE(of_fmaf, f32, f32, f32, f32, fmaf(x, y, z))
THREE(of_norm3df, f32, f32, f32, f32, norm3df(x, y, z))
THREE(of_rnorm3df, f32, f32, f32, f32, rnorm3df(x, y, z))
TWO(of_dividef, f32, f32, f32, x / y)
ONE(of_reciprocalf, f32, f32, 1 / x)
ONE(of_sincos_sinf, f32, f32, sine(x))
ONE(of_sincos_cosf, f32, f32, cosine(x))
ONE(of_sincospi_sinf, f32, f32, sine_pi(x))
ONE(of_sincospi_cosf, f32, f32, cosine_pi(x))
ONE(of_frexp_partf, f32, f32, mantissa(x))
ONE(of_frexp_exponentf, i32, f32, exponent(x))
ONE(of_modf_fractionf, f32, f32, fraction(x))
ONE(of_modf_wholef, f32, f32, whole(x))
TWO(of_remquo_remainderf, f32, f32, f32, rest(x, y))
TWO(of_remquo_quotientf, i32, f32, f32, quotient(x, y))
TWO(of_ldexpf, f32, f32, i32, ldexpf(x, y))
TWO(of_scalbnf, f32, f32, i32, scalbnf(x, y))
ONE(of_powi_likef, f32, f32, powf(x, 7.0f))
ONE(of_ilogbf, i32, f32, ilogbf(x))
ONE(of_lrintf, i64, f32, llrintf(x))
ONE(of_lroundf, i64, f32, llroundf(x))
ONE(of_isfinitef, i32, f32, isfinite(x) != 0)
ONE(of_isinff, i32, f32, isinf(x) != 0)
ONE(of_isnanf, i32, f32, isnan(x) != 0)
ONE(of_signbitf, i32, f32, signbit(x) != 0)
ONE(of_fast_sinf, f32, f32, __sinf(x))
ONE(of_fast_cosf, f32, f32, __cosf(x))
ONE(of_fast_tanf, f32, f32, __tanf(x))
ONE(of_fast_expf, f32, f32, __expf(x))
ONE(of_fast_exp10f, f32, f32, __exp10f(x))
ONE(of_fast_logf, f32, f32, __logf(x))
ONE(of_fast_log2f, f32, f32, __log2f(x))
ONE(of_fast_log10f, f32, f32, __log10f(x))
ONE(of_fast_saturatef, f32, f32, __saturatef(x))
TWO(of_fast_powf, f32, f32, f32, __powf(x, y))
TWO(of_fast_fdividef, f32, f32, f32, __fdividef(x, y))
ONE(of_fast_frsqrt_rn, f32, f32, __frsqrt_rn(x))
TWO(of_fadd_rn, f32, f32, f32, __fadd_rn(x, y))
TWO(of_fsub_rn, f32, f32, f32, __fsub_rn(x, y))
TWO(of_fmul_rn, f32, f32, f32, __fmul_rn(x, y))
TWO(of_fdiv_rn, f32, f32, f32, __fdiv_rn(x, y))
THREE(of_fmaf_rn, f32, f32, f32, f32, __fmaf_rn(x, y, z))
ONE(of_fsqrt_rn, f32, f32, __fsqrt_rn(x))
ONE(of_frcp_rn, f32, f32, __frcp_rn(x))
TWO(of_fadd_rz, f32, f32, f32, __fadd_rz(x, y))
TWO(of_fsub_rz, f32, f32, f32, __fsub_rz(x, y))
TWO(of_fmul_rz, f32, f32, f32, __fmul_rz(x, y))
TWO(of_fdiv_rz, f32, f32, f32, __fdiv_rz(x, y))
THREE(of_fmaf_rz, f32, f32, f32, f32, __fmaf_rz(x, y, z))
ONE(of_fsqrt_rz, f32, f32, __fsqrt_rz(x))
ONE(of_frcp_rz, f32, f32, __frcp_rz(x))
TWO(of_fadd_ru, f32, f32, f32, __fadd_ru(x, y))
TWO(of_fsub_ru, f32, f32, f32, __fsub_ru(x, y))
TWO(of_fmul_ru, f32, f32, f32, __fmul_ru(x, y))
TWO(of_fdiv_ru, f32, f32, f32, __fdiv_ru(x, y))
THREE(of_fmaf_ru, f32, f32, f32, f32, __fmaf_ru(x, y, z))
ONE(of_fsqrt_ru, f32, f32, __fsqrt_ru(x))
ONE(of_frcp_ru, f32, f32, __frcp_ru(x))
TWO(of_fadd_rd, f32, f32, f32, __fadd_rd(x, y))
TWO(of_fsub_rd, f32, f32, f32, __fsub_rd(x, y))
TWO(of_fmul_rd, f32, f32, f32, __fmul_rd(x, y))
TWO(of_fdiv_rd, f32, f32, f32, __fdiv_rd(x, y))
THREE(of_fmaf_rd, f32, f32, f32, f32, __fmaf_rd(x, y, z))
ONE(of_fsqrt_rd, f32, f32, __fsqrt_rd(x))
ONE(of_frcp_rd, f32, f32, __frcp_rd(x))
