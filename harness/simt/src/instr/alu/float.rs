//! Single and double precision.
//!
//! A NaN result of single precision is always 0x7fffffff. Double precision keeps the payload of a NaN operand, as the
//! host does. If two operands are NaN, the host decides whose payload is kept; only in this case may the result differ
//! from the hardware's.

use super::directed::{self, Mode, Rm, Rp, Rz};
use super::dispatch::op;
use super::soft::{self, Round};
use super::table::FormTable;
use crate::lane::Lane;
use ptx::modifier::Modifier;

/// The NaN result of single-precision instructions.
pub const NAN32: f32 = f32::from_bits(0x7fff_ffff);

/// Single or double precision.
pub trait Float: Lane + PartialOrd + Default {
    /// The result as the hardware returns it: a single NaN for single precision.
    fn canon(self) -> Self;
    /// Sum.
    fn add(self, b: Self) -> Self;
    /// Difference.
    fn sub(self, b: Self) -> Self;
    /// Product.
    fn mul(self, b: Self) -> Self;
    /// `self * b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    /// Quotient.
    fn div(self, b: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Negation.
    fn neg(self) -> Self;
    /// 1.
    fn one() -> Self;
    /// The smaller, -0 being less than +0; of a NaN and a number, the number.
    fn least(self, b: Self) -> Self;
    /// The larger, likewise.
    fn largest(self, b: Self) -> Self;
    /// The magnitude of `self` with the sign of `b`.
    fn with_sign(self, b: Self) -> Self;
    /// Whether it is NaN.
    fn is_nan(self) -> bool;
    /// Whether it is neither NaN nor infinite.
    fn is_finite(self) -> bool;
    /// Whether it is infinite.
    fn is_infinite(self) -> bool;
    /// Whether it is neither zero, subnormal, infinite nor NaN.
    fn is_normal(self) -> bool;
    /// Whether it is subnormal.
    fn is_subnormal(self) -> bool;
}

macro_rules! float {
    ($($t:ident $canon:expr, $changed:expr;)*) => {$(
        impl Float for $t {
            #[inline(always)]
            fn canon(self) -> $t { $canon(self) }
            #[inline(always)]
            fn add(self, b: $t) -> $t { self + b }
            #[inline(always)]
            fn sub(self, b: $t) -> $t { self - b }
            #[inline(always)]
            fn mul(self, b: $t) -> $t { self * b }
            #[inline(always)]
            fn fma(self, b: $t, c: $t) -> $t { self.mul_add(b, c) }
            #[inline(always)]
            fn div(self, b: $t) -> $t { self / b }
            #[inline(always)]
            fn sqrt(self) -> $t { $t::sqrt(self) }
            #[inline(always)]
            fn abs(self) -> $t { $changed(self, $t::abs(self)) }
            #[inline(always)]
            fn neg(self) -> $t { $changed(self, -self) }
            #[inline(always)]
            fn one() -> $t { 1.0 }
            #[inline(always)]
            fn least(self, b: $t) -> $t {
                let equal = $t::from_bits(self.to_bits() | b.to_bits());
                let least = if self < b { self } else if self > b { b } else { equal };
                let both = if b != b { $changed(b, b) } else { b };
                if self != self { both } else if b != b { self } else { least }
            }
            #[inline(always)]
            fn largest(self, b: $t) -> $t {
                let equal = $t::from_bits(self.to_bits() & b.to_bits());
                let largest = if self > b { self } else if self < b { b } else { equal };
                let both = if b != b { $changed(b, b) } else { b };
                if self != self { both } else if b != b { self } else { largest }
            }
            #[inline(always)]
            fn with_sign(self, b: $t) -> $t { self.copysign(b) }
            #[inline(always)]
            fn is_nan(self) -> bool { $t::is_nan(self) }
            #[inline(always)]
            fn is_finite(self) -> bool { $t::is_finite(self) }
            #[inline(always)]
            fn is_infinite(self) -> bool { $t::is_infinite(self) }
            #[inline(always)]
            fn is_normal(self) -> bool { $t::is_normal(self) }
            #[inline(always)]
            fn is_subnormal(self) -> bool { $t::is_subnormal(self) }
        }
    )*};
}
float! {
    f32 canon32, |_, x| x;
    f64 |x: f64| x, quiet_or;
}

/// Replaces every NaN by the same one. A NaN is recognised by its bits, because the compiler treats all NaN as equal.
#[inline(always)]
fn canon32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits })
}

/// Returns `x` made quiet, with its sign, if it is NaN; otherwise the other value.
#[inline(always)]
fn quiet_or(x: f64, other: f64) -> f64 {
    let bits = x.to_bits();
    f64::from_bits(if bits << 1 > 0xffe0_0000_0000_0000 { bits | (1 << 51) } else { other.to_bits() })
}

/// The factor that scales tiny results.
const SCALE: f32 = 16_777_216.0;
/// The smallest normal number, scaled.
const LEAST: f32 = f32::MIN_POSITIVE * SCALE;

/// Flushes a product that is tiny. It is tiny if it would be with an exponent range without a lower end: even a product
/// that rounds up to the smallest normal number may be. `scaled` is the same result of operands scaled by [`SCALE`].
#[inline(always)]
fn flush_tiny(r: f32, scaled: f32) -> f32 {
    if scaled.abs() < LEAST { 0f32.copysign(r) } else { r }
}

/// Flushes a subnormal number to zero of the same sign.
#[inline(always)]
pub fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// Clamps to the range from +0 to 1; NaN becomes +0.
#[inline(always)]
pub fn saturate(x: f32) -> f32 {
    let low = if x > 0.0 { x } else { 0.0 };
    if low < 1.0 { low } else { 1.0 }
}

/// Clamps to the range from +0 to 1; NaN becomes +0.
#[inline(always)]
pub fn saturate64(x: f64) -> f64 {
    let low = if x > 0.0 { x } else { 0.0 };
    if low < 1.0 { low } else { 1.0 }
}

/// The treatment of subnormal operands and results: `.ftz` or none.
pub trait Ftz<T> {
    /// Applies it to an operand.
    fn operand(x: T) -> T;
    /// Applies it to a result.
    fn result(x: T) -> T;
}
/// Keeps subnormal numbers.
pub struct Keep;
/// Flushes subnormal numbers to zero.
pub struct Flush;
impl<T: Float> Ftz<T> for Keep {
    #[inline(always)]
    fn operand(x: T) -> T {
        x
    }
    #[inline(always)]
    fn result(x: T) -> T {
        x.canon()
    }
}
impl Ftz<f32> for Flush {
    #[inline(always)]
    fn operand(x: f32) -> f32 {
        flush(x)
    }
    #[inline(always)]
    fn result(x: f32) -> f32 {
        flush(x).canon()
    }
}

/// `a * b + c` with the rounding of the code, as bits.
fn fma64(code: u64, a: f64, b: f64, c: f64) -> Option<u64> {
    let [a, b, c] = [a, b, c].map(f64::to_bits);
    soft::fma(soft::F64, Round::from_code(code), a, b, c)
}

op! {
    /// Sum.
    Add<T: Float, F: Ftz<T>>(a: T, b: T) -> T { F::result(F::operand(a).add(F::operand(b))) }
    /// Difference.
    Sub<T: Float, F: Ftz<T>>(a: T, b: T) -> T { F::result(F::operand(a).sub(F::operand(b))) }
    /// Product.
    Mul<T: Float, F: Ftz<T>>(a: T, b: T) -> T { F::result(F::operand(a).mul(F::operand(b))) }
    /// Fused multiply-add.
    Fma<T: Float, F: Ftz<T>>(a: T, b: T, c: T) -> T { F::result(F::operand(a).fma(F::operand(b), F::operand(c))) }
    /// A number minus a product, rounded once.
    NegatedFma<T: Float>(a: T, b: T, c: T) -> T { a.neg().fma(b, c).canon() }
    /// A product minus a number, rounded once.
    FmaMinus<T: Float>(a: T, b: T, c: T) -> T { a.fma(b, c.neg()).canon() }
    /// Product, subnormal numbers as zero.
    MulFtz(a: f32, b: f32) -> f32 { let (a, b) = (flush(a), flush(b)); flush_tiny(a * b, a * SCALE * b).canon() }
    /// Fused multiply-add, subnormal numbers as zero.
    FmaFtz(a: f32, b: f32, c: f32) -> f32 {
        let (a, b, c) = (flush(a), flush(b), flush(c));
        flush_tiny(a.mul_add(b, c), (a * SCALE).mul_add(b, c * SCALE)).canon()
    }
    /// Quotient.
    Div<T: Float, F: Ftz<T>>(a: T, b: T) -> T { F::result(F::operand(a).div(F::operand(b))) }
    /// Square root.
    Sqrt<T: Float, F: Ftz<T>>(a: T) -> T { F::result(F::operand(a).sqrt()) }
    /// Reciprocal.
    Rcp<T: Float, F: Ftz<T>>(a: T) -> T { F::result(T::one().div(F::operand(a))) }
    /// Magnitude.
    Abs<T: Float, F: Ftz<T>>(a: T) -> T { F::result(F::operand(a).abs()) }
    /// Negation.
    Neg<T: Float, F: Ftz<T>>(a: T) -> T { F::result(F::operand(a).neg()) }
    /// The smaller.
    Min<T: Float, F: Ftz<T>>(a: T, b: T) -> T { F::result(F::operand(a).least(F::operand(b))) }
    /// The larger.
    Max<T: Float, F: Ftz<T>>(a: T, b: T) -> T { F::result(F::operand(a).largest(F::operand(b))) }
    /// The value of `b` with the sign of `a`.
    Copysign<T: Float>(a: T, b: T) -> T { b.with_sign(a) }
    /// `min` and `max` with their rarer modifiers; see [`extreme`].
    Extreme(a: f32, b: f32) [code] -> f32 { extreme(a, b, code) }
    /// Sum, with directed rounding.
    AddDirected<M: Mode>(a: f32, b: f32) -> f32 { directed::add(M::ROUND, a, b).canon() }
    /// Product, with directed rounding.
    MulDirected<M: Mode>(a: f32, b: f32) -> f32 { directed::mul(M::ROUND, a, b).canon() }
    /// Fused multiply-add, with directed rounding.
    FmaDirected<M: Mode>(a: f32, b: f32, c: f32) -> f32 { directed::fma(M::ROUND, a, b, c).canon() }
    /// Sum, with any modifiers; see [`with`].
    AddCode(a: f32, b: f32) [code] -> f32 {
        with(code, [a, b, 0.0], |r, [a, b, _]| match r {
            Round::Nearest => a + b,
            _ => directed::add(r, a, b),
        })
    }
    /// Difference, with any modifiers.
    SubCode(a: f32, b: f32) [code] -> f32 {
        with(code, [a, b, 0.0], |r, [a, b, _]| match r {
            Round::Nearest => a - b,
            _ => directed::add(r, a, -b),
        })
    }
    /// Product, with any modifiers.
    MulCode(a: f32, b: f32) [code] -> f32 {
        let product = |r, a, b| match r { Round::Nearest => a * b, _ => directed::mul(r, a, b) };
        with(code, [a, b, 0.0], |r, [a, b, _]| {
            let d = product(r, a, b);
            if code & FTZ != 0 { flush_tiny(d, product(r, a * SCALE, b)) } else { d }
        })
    }
    /// Fused multiply-add, with any modifiers.
    FmaCode(a: f32, b: f32, c: f32) [code] -> f32 {
        let fused = |r, a: f32, b, c| match r { Round::Nearest => a.mul_add(b, c), _ => directed::fma(r, a, b, c) };
        let a = if code & NEGATED_PRODUCT != 0 { -a } else { a };
        let c = if code & NEGATED_ADDEND != 0 { -c } else { c };
        with(code, [a, b, c], |r, [a, b, c]| {
            let d = fused(r, a, b, c);
            if code & FTZ != 0 { flush_tiny(d, fused(r, a * SCALE, b, c * SCALE)) } else { d }
        })
    }
    /// Quotient, with any modifiers.
    DivCode(a: f32, b: f32) [code] -> f32 {
        with(code, [a, b, 0.0], |r, [a, b, _]| match r {
            Round::Nearest => a / b,
            _ => directed::div(r, a, b),
        })
    }
    /// Reciprocal, with any modifiers.
    RcpCode(a: f32) [code] -> f32 {
        with(code, [a, 0.0, 0.0], |r, [a, ..]| match r {
            Round::Nearest => 1.0 / a,
            _ => directed::div(r, 1.0, a),
        })
    }
    /// Square root, with any modifiers.
    SqrtCode(a: f32) [code] -> f32 {
        with(code, [a, 0.0, 0.0], |r, [a, ..]| match r {
            Round::Nearest => a.sqrt(),
            _ => directed::sqrt(r, a),
        })
    }
    /// Sum, with directed rounding.
    Add64(a: f64, b: f64) [code] -> f64 {
        directed64(soft::add(soft::F64, Round::from_code(code), a.to_bits(), b.to_bits()), a + b)
    }
    /// Difference, with directed rounding.
    Sub64(a: f64, b: f64) [code] -> f64 {
        directed64(soft::add(soft::F64, Round::from_code(code), a.to_bits(), (-b).to_bits()), a - b)
    }
    /// Product, with directed rounding.
    Mul64(a: f64, b: f64) [code] -> f64 {
        directed64(soft::mul(soft::F64, Round::from_code(code), a.to_bits(), b.to_bits()), a * b)
    }
    /// Fused multiply-add, with directed rounding.
    Fma64(a: f64, b: f64, c: f64) [code] -> f64 { directed64(fma64(code, a, b, c), a.mul_add(b, c)) }
    /// Quotient, with directed rounding.
    Div64(a: f64, b: f64) [code] -> f64 {
        directed64(soft::div(soft::F64, Round::from_code(code), a.to_bits(), b.to_bits()), a / b)
    }
    /// Reciprocal, with directed rounding.
    Rcp64(a: f64) [code] -> f64 {
        directed64(soft::div(soft::F64, Round::from_code(code), 1f64.to_bits(), a.to_bits()), 1.0 / a)
    }
    /// Square root, with directed rounding.
    Sqrt64(a: f64) [code] -> f64 { directed64(soft::sqrt(soft::F64, Round::from_code(code), a.to_bits()), a.sqrt()) }
}

/// The code's bit for `.ftz`.
pub(super) const FTZ: u64 = 1 << 8;
/// The code's bit for `.sat`.
pub(super) const SAT: u64 = 1 << 9;
/// The code's bit for `.NaN`.
const PROPAGATE: u64 = 1 << 10;
/// The code's bit for `.xorsign.abs`.
const XORSIGN: u64 = 1 << 11;
/// The code's bit for a multiply-add that subtracts the product.
const NEGATED_PRODUCT: u64 = 1 << 13;
/// The code's bit for a multiply-add that subtracts the third operand.
const NEGATED_ADDEND: u64 = 1 << 14;
/// The code's bit for `max`.
const LARGER: u64 = 1 << 12;

/// Performs an operation with the modifiers in the code: rounding mode, `.ftz`, `.sat`.
fn with(code: u64, operands: [f32; 3], f: impl Fn(Round, [f32; 3]) -> f32) -> f32 {
    let operands = if code & FTZ != 0 { operands.map(flush) } else { operands };
    let r = f(Round::from_code(code), operands);
    let r = if code & FTZ != 0 { flush(r) } else { r };
    if code & SAT != 0 { saturate(r) } else { r.canon() }
}

/// The smaller or larger with `.ftz`, `.NaN` (NaN wins) and `.xorsign.abs` (of magnitudes, with the product's sign).
fn extreme(a: f32, b: f32, code: u64) -> f32 {
    let (a, b) = if code & FTZ != 0 { (flush(a), flush(b)) } else { (a, b) };
    let sign = (a.to_bits() ^ b.to_bits()) & 0x8000_0000;
    let (x, y) = if code & XORSIGN != 0 { (a.abs(), b.abs()) } else { (a, b) };
    if (x.is_nan() && y.is_nan()) || (code & PROPAGATE != 0 && (x.is_nan() || y.is_nan())) {
        return NAN32;
    }
    let r = if code & LARGER != 0 { x.largest(y) } else { x.least(y) };
    if code & XORSIGN != 0 { f32::from_bits(r.to_bits() | sign) } else { r }
}

/// Returns the directed result, or the host's NaN.
fn directed64(bits: Option<u64>, nan: f64) -> f64 {
    bits.map_or(nan, f64::from_bits)
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    macro_rules! nearest {
        ($row:ident $op:ident, $($name:literal),+) => {
            t.$row::<$op<f32, Keep>>([$(concat!($name, ".f32")),+]);
            t.$row::<$op<f32, Flush>>([$(concat!($name, ".ftz.f32")),+]);
            t.$row::<$op<f64, Keep>>([$(concat!($name, ".f64")),+]);
        };
    }
    nearest!(hot Add, "add", "add.rn");
    nearest!(hot Sub, "sub", "sub.rn");
    t.hot::<Mul<f32, Keep>>(["mul.f32", "mul.rn.f32"]);
    t.hot::<MulFtz>(["mul.ftz.f32", "mul.rn.ftz.f32"]);
    t.hot::<Mul<f64, Keep>>(["mul.f64", "mul.rn.f64"]);
    t.hot::<Fma<f32, Keep>>(["fma.rn.f32", "mad.f32", "mad.rn.f32"]);
    t.hot::<FmaFtz>(["fma.rn.ftz.f32", "mad.ftz.f32", "mad.rn.ftz.f32"]);
    t.hot::<Fma<f64, Keep>>(["fma.rn.f64", "mad.rn.f64"]);
    contracted(t);
    nearest!(warm Div, "div.rn");
    nearest!(warm Rcp, "rcp.rn");
    nearest!(warm Sqrt, "sqrt.rn");
    nearest!(warm Abs, "abs");
    nearest!(warm Neg, "neg");
    nearest!(warm Min, "min");
    nearest!(warm Max, "max");
    t.cold::<Copysign<f32>>("copysign.f32");
    t.cold::<Copysign<f64>>("copysign.f64");
    warm_directed(t);
    single(t);
    double(t);
    for (op, larger) in [("min", 0), ("max", LARGER)] {
        for (modifiers, code) in
            [(".NaN", PROPAGATE), (".xorsign.abs", XORSIGN), (".NaN.xorsign.abs", PROPAGATE | XORSIGN)]
        {
            t.cold_preset::<Extreme>(format!("{op}{modifiers}.f32"), code | larger);
            t.cold_preset::<Extreme>(format!("{op}.ftz{modifiers}.f32"), code | larger | FTZ);
        }
    }
}

/// Multiply-adds that subtract, which come from the contraction of products and differences.
fn contracted(t: &mut FormTable) {
    let [ab, c] = [Modifier::NegatedProduct, Modifier::NegatedAddend].map(Modifier::word);
    t.warm::<NegatedFma<f32>>(format!("fma.{ab}.rn.f32"));
    t.warm::<NegatedFma<f64>>(format!("fma.{ab}.rn.f64"));
    t.warm::<FmaMinus<f32>>(format!("fma.{c}.rn.f32"));
    t.warm::<FmaMinus<f64>>(format!("fma.{c}.rn.f64"));
    for (sign, code) in [(ab, NEGATED_PRODUCT), (c, NEGATED_ADDEND)] {
        for (modifiers, more) in [(".ftz", FTZ), (".sat", SAT), (".ftz.sat", FTZ | SAT)] {
            t.cold_preset::<FmaCode>(format!("fma.{sign}.rn{modifiers}.f32"), code | more);
        }
    }
}

/// CUDA's math library uses these for exponentials and argument reduction.
fn warm_directed(t: &mut FormTable) {
    t.warm::<AddDirected<Rz>>("add.rz.f32");
    t.warm::<AddDirected<Rm>>("add.rm.f32");
    t.warm::<AddDirected<Rp>>("add.rp.f32");
    t.warm::<MulDirected<Rz>>("mul.rz.f32");
    t.warm::<MulDirected<Rm>>("mul.rm.f32");
    t.warm::<MulDirected<Rp>>("mul.rp.f32");
    t.warm::<FmaDirected<Rz>>(["fma.rz.f32", "mad.rz.f32"]);
    t.warm::<FmaDirected<Rm>>(["fma.rm.f32", "mad.rm.f32"]);
    t.warm::<FmaDirected<Rp>>(["fma.rp.f32", "mad.rp.f32"]);
}

fn single(t: &mut FormTable) {
    for (mode, round) in Round::NAMES.iter().zip(0u64..) {
        for (ftz, f) in [("", 0), (".ftz", FTZ)] {
            let code = round | f;
            let directed = round != 0;
            for (sat, s) in [("", 0), (".sat", SAT)] {
                let code = code | s;
                let spell = |op: &str| {
                    let mut names = vec![format!("{op}.{mode}{ftz}{sat}.f32")];
                    if !directed {
                        names.push(format!("{op}{ftz}{sat}.f32"));
                    }
                    names
                };
                // Without `.sat` there are hot rows for rounding to nearest, and without `.ftz` for the other modes.
                if s != 0 || (directed && f != 0) {
                    t.cold_preset::<AddCode>(spell("add"), code);
                    t.cold_preset::<MulCode>(spell("mul"), code);
                    let mut fma = spell("mad");
                    fma.push(format!("fma.{mode}{ftz}{sat}.f32"));
                    t.cold_preset::<FmaCode>(fma, code);
                }
                if s != 0 || directed {
                    t.cold_preset::<SubCode>(spell("sub"), code);
                }
            }
            if directed {
                t.cold_preset::<DivCode>(format!("div.{mode}{ftz}.f32"), code);
                t.cold_preset::<RcpCode>(format!("rcp.{mode}{ftz}.f32"), code);
                t.cold_preset::<SqrtCode>(format!("sqrt.{mode}{ftz}.f32"), code);
            }
        }
    }
}

fn double(t: &mut FormTable) {
    for (mode, code) in Round::NAMES.iter().zip(0u64..).skip(1) {
        t.cold_preset::<Add64>(format!("add.{mode}.f64"), code);
        t.cold_preset::<Sub64>(format!("sub.{mode}.f64"), code);
        t.cold_preset::<Mul64>(format!("mul.{mode}.f64"), code);
        t.cold_preset::<Fma64>(vec![format!("fma.{mode}.f64"), format!("mad.{mode}.f64")], code);
        t.cold_preset::<Div64>(format!("div.{mode}.f64"), code);
        t.cold_preset::<Rcp64>(format!("rcp.{mode}.f64"), code);
        t.cold_preset::<Sqrt64>(format!("sqrt.{mode}.f64"), code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_of_zeros_and_nan() {
        assert_eq!(0.0f32.least(-0.0).to_bits(), 0x8000_0000);
        assert_eq!((-0.0f32).largest(0.0).to_bits(), 0);
        assert_eq!(f32::NAN.least(1.0), 1.0);
        assert_eq!(1.0f64.largest(f64::NAN), 1.0);
        assert_eq!(extreme(f32::NAN, 1.0, PROPAGATE).to_bits(), 0x7fff_ffff);
        assert_eq!(extreme(-3.0, 2.0, XORSIGN), -2.0);
        assert_eq!(extreme(-3.0, -2.0, XORSIGN | LARGER), 3.0);
        assert_eq!(extreme(f32::NAN, f32::NAN, 0).to_bits(), 0x7fff_ffff);
    }

    #[test]
    fn saturation() {
        assert_eq!(saturate(f32::NAN).to_bits(), 0);
        assert_eq!(saturate(-0.0).to_bits(), 0);
        assert_eq!(saturate(f32::INFINITY), 1.0);
        assert_eq!(saturate(0.25), 0.25);
    }

    #[test]
    fn flushing_keeps_the_sign() {
        assert_eq!(flush(f32::from_bits(0x807f_ffff)).to_bits(), 0x8000_0000);
        assert_eq!(flush(f32::MIN_POSITIVE), f32::MIN_POSITIVE);
    }
}
