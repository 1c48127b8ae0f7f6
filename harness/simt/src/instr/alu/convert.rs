//! `cvt` among integers and floating-point numbers.
//!
//! An 8-bit value is stored in a register of 16 bits or more, and a source or destination register may be wider than
//! the type: those forms have their own rows, found by [`super::index::find_cvt`].

use super::directed::narrow;
use super::dispatch::op;
use super::float::{FTZ, Float, SAT, flush, saturate, saturate64};
use super::integer_types::{INTS, IntReg, IntType};
use super::logic::Mov;
use super::soft::{self, Format, Parts, Round};
use super::table::FormTable;
use crate::lane::{Bf16, F16, Lane};

/// A register that holds a floating-point number.
pub trait FloatReg: Lane {
    /// Its format.
    const FORMAT: Format;
    /// The NaN that results from conversions to it.
    const NAN: u64;
    /// Its bits.
    fn raw(self) -> u64;
    /// Creates it from bits.
    fn from_raw(raw: u64) -> Self;
}
macro_rules! float_reg {
    ($($t:ident $format:ident $nan:literal |$x:ident| $raw:expr, |$bits:ident| $from:expr;)*) => {$(
        impl FloatReg for $t {
            const FORMAT: Format = soft::$format;
            const NAN: u64 = $nan;
            #[inline(always)]
            fn raw(self) -> u64 { let $x = self; u64::from($raw) }
            #[inline(always)]
            fn from_raw($bits: u64) -> $t { $from }
        }
    )*};
}
float_reg! {
    f32 F32 0x7fff_ffff |x| x.to_bits(), |b| f32::from_bits(b as u32);
    f64 F64 0x7fff_ffff_ffff_ffff |x| x.to_bits(), |b| f64::from_bits(b);
    F16 F16 0x7fff |x| x.0, |b| F16(b as u16);
    Bf16 BF16 0x7fff |x| x.0, |b| Bf16(b as u16);
}

op! {
    /// Zero extension or truncation.
    Resize<S: IntReg, D: IntReg>(a: S) -> D { D::from_raw(a.raw()) }
    /// Sign extension.
    Widen16To32(a: i16) -> i32 { i32::from(a) }
    /// Sign extension.
    Widen16To64(a: i16) -> i64 { i64::from(a) }
    /// Sign extension.
    Widen32To64(a: i32) -> i64 { i64::from(a) }
    /// The low word, sign-extended.
    WidenInPlace(a: i64) -> i64 { i64::from(a as i32) }
    /// The low byte.
    LowByte<T: IntReg>(a: T) -> T { T::from_raw(a.raw() & 0xff) }
    /// The low byte, sign-extended.
    SignedByte16(a: i16) -> i16 { i16::from(a as i8) }
    /// The low byte, sign-extended.
    SignedByte32(a: i32) -> i32 { i32::from(a as i8) }
    /// Integer to integer. Code: source type, destination type from bit 3 on, saturation in bit 6.
    IntToInt<S: IntReg, D: IntReg>(a: S) [code] -> D { D::from_raw(int_to_int(a.raw(), code)) }
    /// Floating point to integer. Code: rounding, destination type from bit 4 on, `.ftz`.
    FloatToInt<S: FloatReg, D: IntReg>(a: S) [code] -> D { D::from_raw(float_to_int(S::FORMAT, a.raw(), code)) }
    /// Integer to floating point. Code: rounding, source type from bit 4 on, `.sat`.
    IntToFloat<S: IntReg, D: FloatReg>(a: S) [code] -> D { D::from_raw(int_to_float(a.raw(), D::FORMAT, code)) }
    /// Floating point to floating point. Code: rounding, whether to an integral value, `.ftz`, `.sat`, `.relu`,
    /// `.satfinite`.
    FloatToFloat<S: FloatReg, D: FloatReg>(a: S) [code] -> D {
        D::from_raw(float_to_float(S::FORMAT, a.raw(), D::FORMAT, D::NAN, code))
    }
    /// f32 to s32.
    F32ToS32<R: Whole>(a: f32) -> i32 { f32_to_s32(R::whole32(a)) }
    /// f32 to u32.
    F32ToU32<R: Whole>(a: f32) -> u32 { f32_to_u32(R::whole32(a)) }
    /// f32 to s32, subnormal numbers as zero.
    F32ToS32Ftz<R: Whole>(a: f32) -> i32 { f32_to_s32(R::whole32(flush(a))) }
    /// f64 to s32; NaN becomes the minimum.
F64ToS32<R: Whole>(a: f64) -> i32 { f64_to_s32(R::whole64(a)) }
    /// f64 to s64; NaN becomes the minimum.
F64ToS64<R: Whole>(a: f64) -> i64 { f64_to_s64(R::whole64(a)) }
    /// f32 to an integral value.
    F32Whole<R: Whole>(a: f32) -> f32 { R::whole32(a).canon() }
    /// f32 to an integral value, subnormal numbers as zero.
    F32WholeFtz<R: Whole>(a: f32) -> f32 { R::whole32(flush(a)).canon() }
    /// f64 to an integral value.
    F64Whole<R: Whole>(a: f64) -> f64 { R::whole64(a) }
    /// Integer to the nearest f32.
    S32ToF32(a: i32) -> f32 { a as f32 }
    /// Integer to the nearest f32.
    U32ToF32(a: u32) -> f32 { a as f32 }
    /// Integer to the nearest f32.
    S64ToF32(a: i64) -> f32 { a as f32 }
    /// Integer to the nearest f32.
    U64ToF32(a: u64) -> f32 { a as f32 }
    /// Integer to f64.
    S32ToF64(a: i32) -> f64 { f64::from(a) }
    /// Integer to f64.
    U32ToF64(a: u32) -> f64 { f64::from(a) }
    /// Integer to the nearest f64.
    S64ToF64(a: i64) -> f64 { a as f64 }
    /// Integer to the nearest f64.
    U64ToF64(a: u64) -> f64 { a as f64 }
    /// f32 to f64.
    F32ToF64(a: f32) -> f64 { f64::from(a) }
    /// f32 to f64, subnormal numbers as zero.
    F32ToF64Ftz(a: f32) -> f64 { f64::from(flush(a).canon()) }
    /// f64 to the nearest f32.
    F64ToF32(a: f64) -> f32 { narrow_nan(a, narrow(Round::Nearest, a)) }
    /// f64 to the nearest f32, subnormal numbers as zero.
    F64ToF32Ftz(a: f64) -> f32 { narrow_nan(a, flush(narrow(Round::Nearest, a))) }
    /// f32 with subnormal numbers as zero.
    F32Flush(a: f32) -> f32 { flush(a).canon() }
    /// f32 clamped to [0, 1].
    F32Sat(a: f32) -> f32 { saturate(a) }
    /// f32 clamped to [0, 1], subnormal numbers as zero.
    F32SatFtz(a: f32) -> f32 { saturate(flush(a)) }
    /// f64 clamped to [0, 1].
    F64Sat(a: f64) -> f64 { saturate64(a) }
    /// f16 to f32.
    F16ToF32(a: F16) -> f32 { a.to_f32() }
    /// f32 to the nearest f16.
    F32ToF16(a: f32) -> F16 { F16::nearest(a) }
    /// bf16 to f32.
    Bf16ToF32(a: Bf16) -> f32 { a.to_f32() }
    /// f32 to the nearest bf16.
    F32ToBf16(a: f32) -> Bf16 { Bf16::nearest(a) }
}

/// Converts a double-precision NaN to single precision: quiet, with the sign and the high bits of its payload. Returns
/// `other` if `x` is not NaN.
#[inline(always)]
fn narrow_nan(x: f64, other: f32) -> f32 {
    let bits = x.to_bits();
    let nan = (bits >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x3f_ffff;
    f32::from_bits(if bits << 1 > 0xffe0_0000_0000_0000 { nan } else { other.to_bits() })
}

// The compiler does not vectorize Rust's saturating casts; these functions give the same results in steps that it does
// vectorize.

#[inline(always)]
fn f32_to_s32(x: f32) -> i32 {
    let low = if x > -2_147_483_648.0 { x } else { -2_147_483_648.0 };
    let held = if low < 2_147_483_520.0 { low } else { 2_147_483_520.0 };
    // SAFETY: clamped to the range, and not NaN.
    let whole = unsafe { held.to_int_unchecked::<i32>() };
    let top = if x >= 2_147_483_648.0 { i32::MAX } else { whole };
    if x.is_nan() { 0 } else { top }
}

#[inline(always)]
fn f32_to_u32(x: f32) -> u32 {
    let low = if x > 0.0 { x } else { 0.0 };
    let held = if low < 4_294_967_040.0 { low } else { 4_294_967_040.0 };
    // SAFETY: clamped to the range, and not NaN.
    let whole = unsafe { held.to_int_unchecked::<u32>() };
    if x >= 4_294_967_296.0 { u32::MAX } else { whole }
}

/// NaN becomes the minimum.
#[inline(always)]
fn f64_to_s32(x: f64) -> i32 {
    let low = if x > -2_147_483_648.0 { x } else { -2_147_483_648.0 };
    let held = if low < 2_147_483_647.0 { low } else { 2_147_483_647.0 };
    // SAFETY: clamped to the range, and not NaN.
    unsafe { held.to_int_unchecked::<i32>() }
}

/// NaN becomes the minimum.
#[inline(always)]
fn f64_to_s64(x: f64) -> i64 {
    /// The largest f64 below 2^63.
    const TOP: f64 = 9_223_372_036_854_774_784.0;
    let low = if x > -9_223_372_036_854_775_808.0 { x } else { -9_223_372_036_854_775_808.0 };
    let held = if low < TOP { low } else { TOP };
    // SAFETY: clamped to the range, and not NaN.
    let whole = unsafe { held.to_int_unchecked::<i64>() };
    if x > TOP { i64::MAX } else { whole }
}

/// Rounding to an integral value.
pub trait Whole {
    /// Rounds an f32.
    fn whole32(a: f32) -> f32;
    /// Rounds an f64.
    fn whole64(a: f64) -> f64;
}
macro_rules! whole {
    ($($(#[$m:meta])* $name:ident $f:ident;)*) => {$(
        $(#[$m])*
        pub struct $name;
        impl Whole for $name {
            #[inline(always)]
            fn whole32(a: f32) -> f32 { a.$f() }
            #[inline(always)]
            fn whole64(a: f64) -> f64 { a.$f() }
        }
    )*};
}
whole! {
    /// `.rni`
    Rni round_ties_even;
    /// `.rzi`
    Rzi trunc;
    /// `.rmi`
    Rmi floor;
    /// `.rpi`
    Rpi ceil;
}

/// Code of `.sat` among integers.
const INT_SAT: u64 = 1 << 6;
/// Code of rounding to an integral value.
const INTEGRAL: u64 = 1 << 10;
/// Code of `.relu`: negative numbers to zero.
pub(super) const RELU: u64 = 1 << 11;
/// Code of `.satfinite`: the largest number instead of infinity.
pub(super) const FINITE: u64 = 1 << 12;

#[inline(never)]
fn int_to_int(raw: u64, code: u64) -> u64 {
    let (from, to) = (IntType::from_code(code), IntType::from_code(code >> 3));
    let value = from.value(raw);
    let value = if code & INT_SAT != 0 { value.clamp(to.least(), to.largest()) } else { value };
    to.value(value as u64) as u64
}

#[inline(never)]
fn float_to_int(from: Format, bits: u64, code: u64) -> u64 {
    let to = IntType::from_code(code >> 4);
    let bits = if code & FTZ != 0 { from.flush(bits) } else { bits };
    let value = match from.unpack(bits) {
        // The manual specifies zero, unless one side has 64 bits; then only the top bit is set.
        Parts::Nan if from == soft::F64 || to.bits == 64 => {
            return to.value(1 << (to.bits - 1)) as u64;
        }
        Parts::Nan => 0,
        Parts::Inf(neg) => {
            if neg {
                i128::MIN
            } else {
                i128::MAX
            }
        }
        Parts::Num(neg, exp, sig) => {
            let (neg, magnitude) = soft::whole(Round::from_code(code), neg, exp, sig);
            let magnitude = i128::try_from(magnitude).unwrap_or(i128::MAX);
            if neg { -magnitude } else { magnitude }
        }
    };
    value.clamp(to.least(), to.largest()) as u64
}

#[inline(never)]
fn int_to_float(raw: u64, to: Format, code: u64) -> u64 {
    let value = IntType::from_code(code >> 4).value(raw);
    let bits = to.pack(Round::from_code(code), value < 0, 0, value.unsigned_abs());
    if code & SAT != 0 { saturate_bits(to, bits) } else { bits }
}

/// Clamps to the range from +0 to 1.
pub(super) fn saturate_bits(f: Format, bits: u64) -> u64 {
    let one = f.pack(Round::Nearest, false, 0, 1);
    if f.is_nan(bits) || bits & f.sign() != 0 { 0 } else { bits.min(one) }
}

/// See [`FloatToFloat`].
#[inline(never)]
pub(super) fn float_to_float(from: Format, bits: u64, to: Format, nan: u64, code: u64) -> u64 {
    let round = Round::from_code(code);
    // If the result has a smaller exponent range, operands are not flushed.
    let bits = if code & FTZ != 0 && from == soft::F32 && to != soft::F16 { from.flush(bits) } else { bits };
    let result = match from.unpack(bits) {
        // In conversions to and from double precision, NaN keeps its sign and the high bits of its payload, and becomes
        // quiet.
        Parts::Nan if from == soft::F64 || to == soft::F64 => {
            let sign = if bits & from.sign() != 0 { to.sign() } else { 0 };
            let payload = bits & ((1 << from.mantissa) - 1);
            let payload = payload << (63 - from.mantissa) >> (63 - to.mantissa);
            sign | to.infinity() | (1 << (to.mantissa - 1)) | payload
        }
        Parts::Num(neg, exp, sig) if code & INTEGRAL != 0 => {
            if exp >= 0 {
                to.pack(round, neg, exp, sig)
            } else {
                let (neg, magnitude) = soft::whole(round, neg, exp, sig);
                to.pack(round, neg, 0, magnitude)
            }
        }
        _ => soft::convert(from, to, round, bits).unwrap_or(nan),
    };
    let result = if code & FTZ != 0 && to == soft::F32 { to.flush(result) } else { result };
    if code & SAT != 0 {
        return saturate_bits(to, result);
    }
    let result = if code & RELU != 0 && result & to.sign() != 0 { 0 } else { result };
    let magnitude = result & !to.sign();
    if code & FINITE != 0 && magnitude == to.infinity() { result - 1 } else { result }
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    hot_integers(t);
    warm_floats(t);
    integers(t);
    mixed(t);
    floats(t);
}

fn hot_integers(t: &mut FormTable) {
    // Pairs of (destination, source) types with the same meaning.
    let names = |d: &str, s: &[&str]| -> Vec<String> {
        s.iter().flat_map(|s| [format!("cvt.u{d}.{s}"), format!("cvt.s{d}.{s}")]).collect()
    };
    t.hot::<Mov<u32>>(names("32", &["u32", "s32"]));
    t.hot::<Mov<u64>>(names("64", &["u64", "s64"]));
    t.hot::<Mov<u16>>(names("16", &["u16", "s16"]));
    t.hot::<Resize<u16, u32>>(names("32", &["u16"]));
    t.hot::<Widen16To32>(names("32", &["s16"]));
    t.hot::<Resize<u16, u64>>(names("64", &["u16"]));
    t.hot::<Widen16To64>(names("64", &["s16"]));
    t.hot::<Resize<u32, u64>>(names("64", &["u32"]));
    t.hot::<Widen32To64>(names("64", &["s32"]));
    t.hot::<Resize<u32, u16>>(names("16", &["u32", "s32"]));
    t.hot::<Resize<u64, u16>>(names("16", &["u64", "s64"]));
    t.hot::<Resize<u64, u32>>(names("32", &["u64", "s64"]));
    // Compilers often extend in place.
    t.warm::<WidenInPlace>(["cvt.s64.s32/64/64", "cvt.u64.s32/64/64"]);
    t.warm::<LowByte<u16>>(["cvt.u16.u8", "cvt.s16.u8"]);
    t.warm::<LowByte<u32>>(["cvt.u32.u8/32/32", "cvt.s32.u8/32/32"]);
    t.warm::<SignedByte16>("cvt.s16.s8");
    t.warm::<SignedByte32>("cvt.s32.s8/32/32");
}

/// Whether a spelling already has a hot row.
fn taken(t: &FormTable, name: &str) -> bool {
    t.has(name)
}

fn warm_floats(t: &mut FormTable) {
    macro_rules! whole {
        ($($mode:ident $name:literal),*) => {$(
            t.warm::<F32Whole<$mode>>(concat!("cvt.", $name, ".f32.f32"));
            t.warm::<F32WholeFtz<$mode>>(concat!("cvt.", $name, ".ftz.f32.f32"));
            t.warm::<F64Whole<$mode>>(concat!("cvt.", $name, ".f64.f64"));
            t.warm::<F32ToS32<$mode>>(concat!("cvt.", $name, ".s32.f32"));
            t.warm::<F32ToS32Ftz<$mode>>(concat!("cvt.", $name, ".ftz.s32.f32"));
            t.warm::<F64ToS32<$mode>>(concat!("cvt.", $name, ".s32.f64"));
        )*};
    }
    whole!(Rni "rni", Rzi "rzi", Rmi "rmi", Rpi "rpi");
    t.warm::<F32ToU32<Rzi>>("cvt.rzi.u32.f32");
    t.warm::<F64ToS64<Rzi>>("cvt.rzi.s64.f64");
    t.warm::<S32ToF32>("cvt.rn.f32.s32");
    t.warm::<U32ToF32>("cvt.rn.f32.u32");
    t.warm::<S64ToF32>("cvt.rn.f32.s64");
    t.warm::<U64ToF32>("cvt.rn.f32.u64");
    t.warm::<S32ToF64>("cvt.rn.f64.s32");
    t.warm::<U32ToF64>("cvt.rn.f64.u32");
    t.warm::<S64ToF64>("cvt.rn.f64.s64");
    t.warm::<U64ToF64>("cvt.rn.f64.u64");
    t.warm::<F32ToF64>("cvt.f64.f32");
    t.warm::<F32ToF64Ftz>("cvt.ftz.f64.f32");
    t.warm::<F64ToF32>("cvt.rn.f32.f64");
    t.warm::<F64ToF32Ftz>("cvt.rn.ftz.f32.f64");
    t.cold::<Mov<f32>>("cvt.f32.f32");
    t.cold::<Mov<f64>>("cvt.f64.f64");
    t.warm::<F32Flush>("cvt.ftz.f32.f32");
    t.warm::<F32Sat>("cvt.sat.f32.f32");
    t.warm::<F32SatFtz>("cvt.ftz.sat.f32.f32");
    t.cold::<F64Sat>("cvt.sat.f64.f64");
    t.warm::<F16ToF32>(["cvt.f32.f16", "cvt.ftz.f32.f16"]);
    t.warm::<F32ToF16>("cvt.rn.f16.f32");
    t.warm::<Bf16ToF32>("cvt.f32.bf16");
    t.warm::<F32ToBf16>("cvt.rn.bf16.f32");
}

/// Calls the macro's body with the register types of two sizes.
macro_rules! with_registers {
    ($dst:expr, $src:expr, $t:expr, $row:ident, $names:expr, $code:expr) => {
        match ($dst, $src) {
            (16, 16) => $t.cold_preset::<$row<u16, u16>>($names, $code),
            (16, 32) => $t.cold_preset::<$row<u32, u16>>($names, $code),
            (16, _) => $t.cold_preset::<$row<u64, u16>>($names, $code),
            (32, 16) => $t.cold_preset::<$row<u16, u32>>($names, $code),
            (32, 32) => $t.cold_preset::<$row<u32, u32>>($names, $code),
            (32, _) => $t.cold_preset::<$row<u64, u32>>($names, $code),
            (_, 16) => $t.cold_preset::<$row<u16, u64>>($names, $code),
            (_, 32) => $t.cold_preset::<$row<u32, u64>>($names, $code),
            _ => $t.cold_preset::<$row<u64, u64>>($names, $code),
        }
    };
}

/// Returns the plain spelling for registers of the types' own sizes, and the longer one for others.
fn spelling(name: &str, dst: u32, src: u32, own: (u32, u32)) -> String {
    if (dst, src) == own { name.to_string() } else { format!("{name}/{dst}/{src}") }
}

fn integers(t: &mut FormTable) {
    for (to, d) in INTS {
        for (from, s) in INTS {
            for (sat, bit) in [("", 0), (".sat", INT_SAT)] {
                let name = format!("cvt{sat}.{to}.{from}");
                let code = s.code() | (d.code() << 3) | bit;
                for &dst in d.registers() {
                    for &src in s.registers() {
                        let name = spelling(&name, dst, src, (d.register(), s.register()));
                        if !taken(t, &name) {
                            with_registers!(dst, src, t, IntToInt, name, code);
                        }
                    }
                }
            }
        }
    }
}

fn mixed(t: &mut FormTable) {
    mixed_of::<F16>(t, "f16", false);
    mixed_of::<Bf16>(t, "bf16", false);
    mixed_of::<f32>(t, "f32", true);
    mixed_of::<f64>(t, "f64", false);
}

fn mixed_of<F: FloatReg>(t: &mut FormTable, float: &str, flushes: bool) {
    let bits = 1 + F::FORMAT.mantissa + F::FORMAT.exponent;
    for (ty, int) in INTS {
        for (mode, round) in Round::NAMES.iter().zip(0u64..) {
            // Floating point to integer: `.rni` and the like. `.sat` changes nothing, because these always saturate.
            for (ftz, f) in [("", 0), (".ftz", FTZ)].into_iter().take(1 + usize::from(flushes)) {
                let code = round | (int.code() << 4) | f;
                for &reg in int.registers() {
                    let own = (int.register(), bits);
                    let mut names = vec![format!("cvt.{mode}i{ftz}.sat.{ty}.{float}")];
                    let plain = format!("cvt.{mode}i{ftz}.{ty}.{float}");
                    let hot = reg == own.0 && taken(t, &plain);
                    if !hot {
                        names.push(plain);
                    }
                    let names: Vec<String> = names.iter().map(|n| spelling(n, reg, bits, own)).collect();
                    match reg {
                        16 => t.cold_preset::<FloatToInt<F, u16>>(names, code),
                        32 => t.cold_preset::<FloatToInt<F, u32>>(names, code),
                        _ => t.cold_preset::<FloatToInt<F, u64>>(names, code),
                    };
                }
            }
            for (sat, s) in [("", 0), (".sat", SAT)] {
                let code = round | (int.code() << 4) | s;
                for &reg in int.registers() {
                    let own = (bits, int.register());
                    let name = spelling(&format!("cvt.{mode}{sat}.{float}.{ty}"), bits, reg, own);
                    if taken(t, &name) {
                        continue;
                    }
                    match reg {
                        16 => t.cold_preset::<IntToFloat<u16, F>>(name, code),
                        32 => t.cold_preset::<IntToFloat<u32, F>>(name, code),
                        _ => t.cold_preset::<IntToFloat<u64, F>>(name, code),
                    };
                }
            }
        }
    }
}

fn floats(t: &mut FormTable) {
    same::<F16>(t, "f16");
    same::<Bf16>(t, "bf16");
    same::<f32>(t, "f32");
    same::<f64>(t, "f64");
    widening::<F16, f64>(t, "f64.f16");
    widening::<Bf16, f64>(t, "f64.bf16");
    widening::<F16, f32>(t, "f32.f16");
    widening::<Bf16, f32>(t, "f32.bf16");
    widening::<f32, f64>(t, "f64.f32");
    narrowing::<f64, f32>(t, "f32.f64");
    narrowing::<f64, F16>(t, "f16.f64");
    narrowing::<f64, Bf16>(t, "bf16.f64");
    narrowing::<f32, F16>(t, "f16.f32");
    narrowing::<f32, Bf16>(t, "bf16.f32");
    narrowing::<F16, Bf16>(t, "bf16.f16");
    narrowing::<Bf16, F16>(t, "f16.bf16");
}

fn float_row<S: FloatReg, D: FloatReg>(t: &mut FormTable, start: &str, types: &str, code: u64) {
    for (ftz, f) in [("", 0), (".ftz", FTZ)] {
        for (sat, s) in [("", 0), (".sat", SAT)] {
            let name = format!("cvt{start}{ftz}{sat}.{types}");
            if !taken(t, &name) {
                t.cold_preset::<FloatToFloat<S, D>>(name, code | f | s);
            }
        }
    }
}

fn same<F: FloatReg>(t: &mut FormTable, ty: &str) {
    let types = format!("{ty}.{ty}");
    float_row::<F, F>(t, "", &types, 0);
    for (mode, round) in Round::NAMES.iter().zip(0u64..) {
        float_row::<F, F>(t, &format!(".{mode}i"), &types, round | INTEGRAL);
    }
}

fn widening<S: FloatReg, D: FloatReg>(t: &mut FormTable, types: &str) {
    float_row::<S, D>(t, "", types, 0);
}

fn narrowing<S: FloatReg, D: FloatReg>(t: &mut FormTable, types: &str) {
    for (mode, round) in Round::NAMES.iter().zip(0u64..) {
        float_row::<S, D>(t, &format!(".{mode}"), types, round);
        for (extra, code) in [(".relu", RELU), (".satfinite", FINITE), (".relu.satfinite", RELU | FINITE)] {
            if round < 2 && types.ends_with("f16.f32") {
                t.cold_preset::<FloatToFloat<S, D>>(format!("cvt.{mode}{extra}.{types}"), round | code);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::integer_types::int_type;
    use super::*;

    fn to_int(x: f64, ty: IntType, round: u64) -> u64 {
        float_to_int(soft::F64, x.to_bits(), round | (ty.code() << 4))
    }

    #[test]
    fn numbers_to_integers_saturate() {
        let s8 = int_type(8, true);
        assert_eq!(to_int(1e9, s8, 1) as i64, 127);
        assert_eq!(to_int(-1e9, s8, 1) as i64, -128);
        assert_eq!(to_int(-5.0, int_type(16, false), 1), 0);
        assert_eq!(to_int(f64::INFINITY, int_type(64, false), 1), u64::MAX);
        assert_eq!(to_int(1.844674407370955e19, int_type(64, false), 1), 1.844674407370955e19 as u64);
    }

    #[test]
    fn numbers_to_integers_round() {
        let s32 = int_type(32, true);
        let all = |x: f64| [0, 1, 2, 3].map(|mode| to_int(x, s32, mode) as i32);
        assert_eq!(all(2.5), [2, 2, 2, 3]);
        assert_eq!(all(-2.5), [-2, -2, -3, -2]);
        assert_eq!(all(3.5), [4, 3, 3, 4]);
        assert_eq!(all(-1e-300), [0, 0, -1, 0]);
    }

    #[test]
    fn nan_to_integers() {
        let nan32 = u64::from(f32::NAN.to_bits());
        assert_eq!(float_to_int(soft::F32, nan32, int_type(32, true).code() << 4), 0);
        assert_eq!(float_to_int(soft::F32, nan32, int_type(64, false).code() << 4), 1 << 63);
        assert_eq!(to_int(f64::NAN, int_type(32, false), 0) as u32, 0x8000_0000);
    }

    #[test]
    fn integers_to_integers() {
        let code = |d: IntType, s: IntType| s.code() | (d.code() << 3);
        let (s8, u8_, s32, u32_) = (int_type(8, true), int_type(8, false), int_type(32, true), int_type(32, false));
        assert_eq!(int_to_int(0x1ff, code(s32, s8)) as i64, -1);
        assert_eq!(int_to_int(0x1ff, code(s32, u8_)), 255);
        assert_eq!(int_to_int(0xffff_ff80, code(s8, s32)) as i64, -128);
        assert_eq!(int_to_int(0xffff_ff80, code(u8_, s32) | INT_SAT), 0);
        assert_eq!(int_to_int(0xffff_ff80, code(u8_, u32_) | INT_SAT), 255);
        assert_eq!(int_to_int(300, code(s8, s32) | INT_SAT), 127);
    }

    #[test]
    fn whole_numbers_keep_the_sign_of_zero() {
        let r = float_to_float(soft::F32, u64::from((-0.25f32).to_bits()), soft::F32, 0x7fff_ffff, INTEGRAL);
        assert_eq!(r as u32, 0x8000_0000);
    }
}
