// CUDA's functions of double precision.
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

__device__ f64 sine(f64 x) { f64 s, c; sincos(x, &s, &c); return s; }
__device__ f64 cosine(f64 x) { f64 s, c; sincos(x, &s, &c); return c; }
__device__ f64 sine_pi(f64 x) { f64 s, c; sincospi(x, &s, &c); return s; }
__device__ f64 cosine_pi(f64 x) { f64 s, c; sincospi(x, &s, &c); return c; }
__device__ f64 mantissa(f64 x) { int e; return frexp(x, &e); }
__device__ int exponent(f64 x) { int e; frexp(x, &e); return isfinite(x) ? e : 0; }
__device__ f64 fraction(f64 x) { f64 w; return modf(x, &w); }
__device__ f64 whole(f64 x) { f64 w; modf(x, &w); return w; }
__device__ f64 rest(f64 x, f64 y) { int q; return remquo(x, y, &q); }
// Its last three bits and its sign are promised, where there is one.
__device__ int quotient(f64 x, f64 y) {
    int q = 0;
    remquo(x, y, &q);
    if (isnan(x) || isnan(y) || isinf(x) || y == 0) return 0;
    return q < 0 ? -(-q & 7) : q & 7;
}

ONE(of_acos, f64, f64, acos(x))
ONE(of_acosh, f64, f64, acosh(x))
ONE(of_asin, f64, f64, asin(x))
ONE(of_asinh, f64, f64, asinh(x))
ONE(of_atan, f64, f64, atan(x))
ONE(of_atanh, f64, f64, atanh(x))
ONE(of_cbrt, f64, f64, cbrt(x))
ONE(of_ceil, f64, f64, ceil(x))
ONE(of_cos, f64, f64, cos(x))
ONE(of_cosh, f64, f64, cosh(x))
ONE(of_cospi, f64, f64, cospi(x))
ONE(of_erf, f64, f64, erf(x))
ONE(of_erfc, f64, f64, erfc(x))
ONE(of_erfcinv, f64, f64, erfcinv(x))
ONE(of_erfcx, f64, f64, erfcx(x))
ONE(of_erfinv, f64, f64, erfinv(x))
ONE(of_exp, f64, f64, exp(x))
ONE(of_exp10, f64, f64, exp10(x))
ONE(of_exp2, f64, f64, exp2(x))
ONE(of_expm1, f64, f64, expm1(x))
ONE(of_fabs, f64, f64, fabs(x))
ONE(of_floor, f64, f64, floor(x))
ONE(of_j0, f64, f64, j0(x))
ONE(of_lgamma, f64, f64, lgamma(x))
ONE(of_log, f64, f64, log(x))
ONE(of_log10, f64, f64, log10(x))
ONE(of_log1p, f64, f64, log1p(x))
ONE(of_log2, f64, f64, log2(x))
ONE(of_logb, f64, f64, logb(x))
ONE(of_nearbyint, f64, f64, nearbyint(x))
ONE(of_normcdf, f64, f64, normcdf(x))
ONE(of_normcdfinv, f64, f64, normcdfinv(x))
ONE(of_rcbrt, f64, f64, rcbrt(x))
ONE(of_rint, f64, f64, rint(x))
ONE(of_round, f64, f64, round(x))
ONE(of_rsqrt, f64, f64, rsqrt(x))
ONE(of_sin, f64, f64, sin(x))
ONE(of_sinh, f64, f64, sinh(x))
ONE(of_sinpi, f64, f64, sinpi(x))
ONE(of_sqrt, f64, f64, sqrt(x))
ONE(of_tan, f64, f64, tan(x))
ONE(of_tanh, f64, f64, tanh(x))
ONE(of_tgamma, f64, f64, tgamma(x))
ONE(of_trunc, f64, f64, trunc(x))
TWO(of_atan2, f64, f64, f64, atan2(x, y))
TWO(of_copysign, f64, f64, f64, copysign(x, y))
TWO(of_fdim, f64, f64, f64, fdim(x, y))
TWO(of_fmax, f64, f64, f64, fmax(x, y))
TWO(of_fmin, f64, f64, f64, fmin(x, y))
TWO(of_fmod, f64, f64, f64, fmod(x, y))
TWO(of_hypot, f64, f64, f64, hypot(x, y))
TWO(of_nextafter, f64, f64, f64, nextafter(x, y))
TWO(of_pow, f64, f64, f64, pow(x, y))
TWO(of_remainder, f64, f64, f64, remainder(x, y))
TWO(of_rhypot, f64, f64, f64, rhypot(x, y))
THREE(of_fma, f64, f64, f64, f64, fma(x, y, z))
THREE(of_norm3d, f64, f64, f64, f64, norm3d(x, y, z))
THREE(of_rnorm3d, f64, f64, f64, f64, rnorm3d(x, y, z))
TWO(of_divide, f64, f64, f64, x / y)
ONE(of_reciprocal, f64, f64, 1 / x)
ONE(of_sincos_sin, f64, f64, sine(x))
ONE(of_sincos_cos, f64, f64, cosine(x))
ONE(of_sincospi_sin, f64, f64, sine_pi(x))
ONE(of_sincospi_cos, f64, f64, cosine_pi(x))
ONE(of_frexp_part, f64, f64, mantissa(x))
ONE(of_frexp_exponent, i32, f64, exponent(x))
ONE(of_modf_fraction, f64, f64, fraction(x))
ONE(of_modf_whole, f64, f64, whole(x))
TWO(of_remquo_remainder, f64, f64, f64, rest(x, y))
TWO(of_remquo_quotient, i32, f64, f64, quotient(x, y))
TWO(of_ldexp, f64, f64, i32, ldexp(x, y))
TWO(of_scalbn, f64, f64, i32, scalbn(x, y))
ONE(of_powi_like, f64, f64, pow(x, 7.0))
ONE(of_ilogb, i32, f64, ilogb(x))
ONE(of_lrint, i64, f64, llrint(x))
ONE(of_lround, i64, f64, llround(x))
ONE(of_isfinite, i32, f64, isfinite(x) != 0)
ONE(of_isinf, i32, f64, isinf(x) != 0)
ONE(of_isnan, i32, f64, isnan(x) != 0)
ONE(of_signbit, i32, f64, signbit(x) != 0)
TWO(of_dadd_rn, f64, f64, f64, __dadd_rn(x, y))
TWO(of_dsub_rn, f64, f64, f64, __dsub_rn(x, y))
TWO(of_dmul_rn, f64, f64, f64, __dmul_rn(x, y))
TWO(of_ddiv_rn, f64, f64, f64, __ddiv_rn(x, y))
THREE(of_fma_rn, f64, f64, f64, f64, __fma_rn(x, y, z))
ONE(of_dsqrt_rn, f64, f64, __dsqrt_rn(x))
ONE(of_drcp_rn, f64, f64, __drcp_rn(x))
TWO(of_dadd_rz, f64, f64, f64, __dadd_rz(x, y))
TWO(of_dsub_rz, f64, f64, f64, __dsub_rz(x, y))
TWO(of_dmul_rz, f64, f64, f64, __dmul_rz(x, y))
TWO(of_ddiv_rz, f64, f64, f64, __ddiv_rz(x, y))
THREE(of_fma_rz, f64, f64, f64, f64, __fma_rz(x, y, z))
ONE(of_dsqrt_rz, f64, f64, __dsqrt_rz(x))
ONE(of_drcp_rz, f64, f64, __drcp_rz(x))
TWO(of_dadd_ru, f64, f64, f64, __dadd_ru(x, y))
TWO(of_dsub_ru, f64, f64, f64, __dsub_ru(x, y))
TWO(of_dmul_ru, f64, f64, f64, __dmul_ru(x, y))
TWO(of_ddiv_ru, f64, f64, f64, __ddiv_ru(x, y))
THREE(of_fma_ru, f64, f64, f64, f64, __fma_ru(x, y, z))
ONE(of_dsqrt_ru, f64, f64, __dsqrt_ru(x))
ONE(of_drcp_ru, f64, f64, __drcp_ru(x))
TWO(of_dadd_rd, f64, f64, f64, __dadd_rd(x, y))
TWO(of_dsub_rd, f64, f64, f64, __dsub_rd(x, y))
TWO(of_dmul_rd, f64, f64, f64, __dmul_rd(x, y))
TWO(of_ddiv_rd, f64, f64, f64, __ddiv_rd(x, y))
THREE(of_fma_rd, f64, f64, f64, f64, __fma_rd(x, y, z))
ONE(of_dsqrt_rd, f64, f64, __dsqrt_rd(x))
ONE(of_drcp_rd, f64, f64, __drcp_rd(x))
