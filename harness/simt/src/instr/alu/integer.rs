//! Integer arithmetic: sums, products, quotients, minimum and maximum.

use super::dispatch::op;
use super::table::FormTable;
use crate::lane::Lane;

/// An integer lane type and its arithmetic, all modulo its width.
pub trait Int: Lane + Ord + Default {
    /// The type of twice the width, for wide products.
    type Wide: Lane;
    /// Sum.
    fn add(self, b: Self) -> Self;
    /// Difference.
    fn sub(self, b: Self) -> Self;
    /// Low half of the product.
    fn mul(self, b: Self) -> Self;
    /// High half of the product.
    fn mul_hi(self, b: Self) -> Self;
    /// The whole product.
    fn mul_wide(self, b: Self) -> Self::Wide;
    /// The whole product plus `c`, modulo twice the width.
    fn mad_wide(self, b: Self, c: Self::Wide) -> Self::Wide;
    /// Quotient, rounded towards zero; all ones for a zero divisor, as in the code that ptxas generates.
    fn div(self, b: Self) -> Self;
    /// Remainder, with the dividend's sign; all ones for a zero divisor, as in the code that ptxas generates.
    fn rem(self, b: Self) -> Self;
    /// Absolute difference.
    fn distance(self, b: Self) -> Self;
}

macro_rules! int {
    ($($t:ident $wide:ident $bits:literal $twice:ident $div:expr, $rem:expr;)*) => {$(
        impl Int for $t {
            type Wide = $wide;
            #[inline(always)]
            fn add(self, b: $t) -> $t { self.wrapping_add(b) }
            #[inline(always)]
            fn sub(self, b: $t) -> $t { self.wrapping_sub(b) }
            #[inline(always)]
            fn mul(self, b: $t) -> $t { self.wrapping_mul(b) }
            #[inline(always)]
            fn mul_hi(self, b: $t) -> $t { (($twice::from(self) * $twice::from(b)) >> $bits) as $t }
            #[inline(always)]
            fn mul_wide(self, b: $t) -> $wide { (self as $wide).wrapping_mul(b as $wide) }
            #[inline(always)]
            fn mad_wide(self, b: $t, c: $wide) -> $wide { self.mul_wide(b).wrapping_add(c) }
            #[inline(always)]
            fn div(self, b: $t) -> $t { $div(self, b) }
            #[inline(always)]
            fn rem(self, b: $t) -> $t { $rem(self, b) }
            #[inline(always)]
            fn distance(self, b: $t) -> $t { self.max(b).wrapping_sub(self.min(b)) }
        }
    )*};
}
int! {
    u16 u32 16 u32 plain_div, plain_rem;
    i16 i32 16 i32 plain_div, plain_rem;
    u32 u64 32 u64 udiv32, |a: u32, b: u32| {
        if b == 0 { u32::MAX } else { a.wrapping_sub(udiv32(a, b).wrapping_mul(b)) }
    };
    i32 i64 32 i64 sdiv32, |a: i32, b: i32| if b == 0 { -1 } else { a.wrapping_sub(sdiv32(a, b).wrapping_mul(b)) };
    u64 u64 64 u128 plain_div, plain_rem;
    i64 i64 64 i128 plain_div, plain_rem;
}

trait Divide: Sized {
    fn divide(self, b: Self) -> Self;
    fn remain(self, b: Self) -> Self;
}
macro_rules! divide {
    ($($t:ident)*) => {$(
        impl Divide for $t {
            #[inline(always)]
            fn divide(self, b: $t) -> $t { if b == 0 { !0 } else { self.wrapping_div(b) } }
            #[inline(always)]
            fn remain(self, b: $t) -> $t { if b == 0 { !0 } else { self.wrapping_rem(b) } }
        }
    )*};
}
divide!(u16 i16 u64 i64);

#[inline(always)]
fn plain_div<T: Divide>(a: T, b: T) -> T {
    a.divide(b)
}

#[inline(always)]
fn plain_rem<T: Divide>(a: T, b: T) -> T {
    a.remain(b)
}

/// A 32-bit quotient computed in f64, which processors divide in vectors.
///
/// It is exact: a quotient that is not an integer is at least 2^-32 of itself below the next integer, and f64 rounds by
/// 2^-53.
#[inline(always)]
fn udiv32(a: u32, b: u32) -> u32 {
    // 2^52 + x has x in its low bits, so these conversions need no instruction for unsigned integers.
    const MAGIC: u64 = 0x4330_0000_0000_0000;
    let float = |x: u32| f64::from_bits(MAGIC | u64::from(x)) - f64::from_bits(MAGIC);
    let q = (float(a) / float(b)).floor();
    let whole = (q + f64::from_bits(MAGIC)).to_bits() as u32;
    if b == 0 { u32::MAX } else { whole }
}

#[inline(always)]
fn sdiv32(a: i32, b: i32) -> i32 {
    let q = udiv32(a.unsigned_abs(), b.unsigned_abs()) as i32;
    let signed = if (a ^ b) < 0 { q.wrapping_neg() } else { q };
    if b == 0 { -1 } else { signed }
}

op! {
    /// Sum, modulo the width.
    Add<T: Int>(a: T, b: T) -> T { a.add(b) }
    /// Difference, modulo the width.
    Sub<T: Int>(a: T, b: T) -> T { a.sub(b) }
    /// Low half of the product.
    MulLo<T: Int>(a: T, b: T) -> T { a.mul(b) }
    /// High half of the product.
    MulHi<T: Int>(a: T, b: T) -> T { a.mul_hi(b) }
    /// The whole product.
    MulWide<T: Int>(a: T, b: T) -> T::Wide { a.mul_wide(b) }
    /// Low half of the product, plus `c`.
    MadLo<T: Int>(a: T, b: T, c: T) -> T { a.mul(b).add(c) }
    /// High half of the product, plus `c`.
    MadHi<T: Int>(a: T, b: T, c: T) -> T { a.mul_hi(b).add(c) }
    /// The whole product, plus `c` of twice the width.
    MadWide<T: Int>(a: T, b: T, c: T::Wide) -> T::Wide { a.mad_wide(b, c) }
    /// Quotient.
    Div<T: Int>(a: T, b: T) -> T { a.div(b) }
    /// Remainder.
    Rem<T: Int>(a: T, b: T) -> T { a.rem(b) }
    /// The smaller.
    Min<T: Int>(a: T, b: T) -> T { if a < b { a } else { b } }
    /// The larger.
    Max<T: Int>(a: T, b: T) -> T { if a > b { a } else { b } }
    /// Absolute value; the minimum integer is not changed.
    Abs<T: Int>(a: T) -> T { let n = T::default().sub(a); if a < T::default() { n } else { a } }
    /// Negation.
    Neg<T: Int>(a: T) -> T { T::default().sub(a) }
    /// Sum of absolute differences: `c + |a - b|`.
    Sad<T: Int>(a: T, b: T, c: T) -> T { c.add(a.distance(b)) }
    /// Sum, clamped to the range of s32.
    AddSatS32(a: i32, b: i32) -> i32 { a.saturating_add(b) }
    /// Difference, clamped to the range of s32.
    SubSatS32(a: i32, b: i32) -> i32 { a.saturating_sub(b) }
    /// High half of the product plus `c`, clamped to the range of s32.
    MadHiSatS32(a: i32, b: i32, c: i32) -> i32 { a.mul_hi(b).saturating_add(c) }
    /// Low 32 bits of the product of 24-bit integers.
    Mul24LoU32(a: u32, b: u32) -> u32 { (u24(a) * u24(b)) as u32 }
    /// Low 32 bits of the product of 24-bit integers.
    Mul24LoS32(a: i32, b: i32) -> i32 { (s24(a) * s24(b)) as i32 }
    /// High 32 of the 48 bits of the product of 24-bit integers.
    Mul24HiU32(a: u32, b: u32) -> u32 { ((u24(a) * u24(b)) >> 16) as u32 }
    /// High 32 of the 48 bits of the product of 24-bit integers.
    Mul24HiS32(a: i32, b: i32) -> i32 { ((s24(a) * s24(b)) >> 16) as i32 }
    /// Product of 24-bit integers, low 32 bits, plus `c`.
    Mad24LoU32(a: u32, b: u32, c: u32) -> u32 { ((u24(a) * u24(b)) as u32).wrapping_add(c) }
    /// Product of 24-bit integers, low 32 bits, plus `c`.
    Mad24LoS32(a: i32, b: i32, c: i32) -> i32 { ((s24(a) * s24(b)) as i32).wrapping_add(c) }
    /// Product of 24-bit integers, high 32 of 48 bits, plus `c`.
    Mad24HiU32(a: u32, b: u32, c: u32) -> u32 { (((u24(a) * u24(b)) >> 16) as u32).wrapping_add(c) }
    /// Product of 24-bit integers, high 32 of 48 bits, plus `c`.
    Mad24HiS32(a: i32, b: i32, c: i32) -> i32 { (((s24(a) * s24(b)) >> 16) as i32).wrapping_add(c) }
    /// Product of 24-bit integers, high 32 of 48 bits, plus `c`, clamped to the range of s32.
    Mad24HiSatS32(a: i32, b: i32, c: i32) -> i32 { (((s24(a) * s24(b)) >> 16) as i32).saturating_add(c) }
}

#[inline(always)]
fn u24(a: u32) -> u64 {
    u64::from(a & 0xff_ffff)
}

#[inline(always)]
fn s24(a: i32) -> i64 {
    i64::from((a << 8) >> 8)
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    same_for_both_signs(t);
    by_sign::<u16, i16>(t, "16");
    by_sign::<u32, i32>(t, "32");
    by_sign::<u64, i64>(t, "64");
    extremes(t);
    quotients(t);
    hot_products(t);
    cold_products(t);
    t.cold::<AddSatS32>("add.sat.s32");
    t.cold::<SubSatS32>("sub.sat.s32");
    t.cold::<Mul24LoU32>("mul24.lo.u32");
    t.cold::<Mul24LoS32>("mul24.lo.s32");
    t.cold::<Mul24HiU32>("mul24.hi.u32");
    t.cold::<Mul24HiS32>("mul24.hi.s32");
    t.cold::<Mad24LoU32>("mad24.lo.u32");
    t.cold::<Mad24LoS32>("mad24.lo.s32");
    t.cold::<Mad24HiU32>("mad24.hi.u32");
    t.cold::<Mad24HiS32>("mad24.hi.s32");
    t.cold::<Mad24HiSatS32>("mad24.hi.sat.s32");
    t.hot::<Neg<i32>>("neg.s32");
    t.cold::<Neg<i64>>("neg.s64");
    t.cold::<Neg<i16>>("neg.s16");
    t.warm::<Abs<i32>>("abs.s32");
    t.cold::<Abs<i64>>("abs.s64");
    t.cold::<Abs<i16>>("abs.s16");
}

fn same_for_both_signs(t: &mut FormTable) {
    t.hot::<Add<u32>>(["add.u32", "add.s32"]);
    t.hot::<Add<u64>>(["add.u64", "add.s64"]);
    t.hot::<Add<u16>>(["add.u16", "add.s16"]);
    t.hot::<Sub<u32>>(["sub.u32", "sub.s32"]);
    t.hot::<Sub<u64>>(["sub.u64", "sub.s64"]);
    t.hot::<Sub<u16>>(["sub.u16", "sub.s16"]);
    t.hot::<MulLo<u32>>(["mul.lo.u32", "mul.lo.s32"]);
    t.warm::<MulLo<u64>>(["mul.lo.u64", "mul.lo.s64"]);
    t.hot::<MulLo<u16>>(["mul.lo.u16", "mul.lo.s16"]);
    t.hot::<MadLo<u32>>(["mad.lo.u32", "mad.lo.s32"]);
    t.warm::<MadLo<u64>>(["mad.lo.u64", "mad.lo.s64"]);
    t.cold::<MadLo<u16>>(["mad.lo.u16", "mad.lo.s16"]);
}

fn by_sign<U: Int, S: Int>(t: &mut FormTable, bits: &str) {
    t.cold::<Sad<U>>(format!("sad.u{bits}"));
    t.cold::<Sad<S>>(format!("sad.s{bits}"));
}

fn extremes(t: &mut FormTable) {
    t.warm::<Min<u32>>("min.u32");
    t.warm::<Min<i32>>("min.s32");
    t.warm::<Max<u32>>("max.u32");
    t.warm::<Max<i32>>("max.s32");
    t.warm::<Min<u64>>("min.u64");
    t.warm::<Min<i64>>("min.s64");
    t.warm::<Max<u64>>("max.u64");
    t.warm::<Max<i64>>("max.s64");
    t.cold::<Min<u16>>("min.u16");
    t.cold::<Min<i16>>("min.s16");
    t.cold::<Max<u16>>("max.u16");
    t.cold::<Max<i16>>("max.s16");
}

fn quotients(t: &mut FormTable) {
    t.warm::<Div<u32>>("div.u32");
    t.warm::<Div<i32>>("div.s32");
    t.warm::<Rem<u32>>("rem.u32");
    t.warm::<Rem<i32>>("rem.s32");
    t.cold::<Div<u64>>("div.u64");
    t.cold::<Div<i64>>("div.s64");
    t.cold::<Rem<u64>>("rem.u64");
    t.cold::<Rem<i64>>("rem.s64");
    t.cold::<Div<u16>>("div.u16");
    t.cold::<Div<i16>>("div.s16");
    t.cold::<Rem<u16>>("rem.u16");
    t.cold::<Rem<i16>>("rem.s16");
}

fn hot_products(t: &mut FormTable) {
    t.warm::<MulHi<u32>>("mul.hi.u32");
    t.warm::<MulHi<i32>>("mul.hi.s32");
    t.hot::<MulWide<u32>>("mul.wide.u32");
    t.hot::<MulWide<i32>>("mul.wide.s32");
    t.warm::<MadWide<u32>>("mad.wide.u32");
    t.warm::<MadWide<i32>>("mad.wide.s32");
}

fn cold_products(t: &mut FormTable) {
    t.cold::<MulHi<u16>>("mul.hi.u16");
    t.cold::<MulHi<i16>>("mul.hi.s16");
    t.cold::<MulHi<u64>>("mul.hi.u64");
    t.cold::<MulHi<i64>>("mul.hi.s64");
    t.cold::<MulWide<u16>>("mul.wide.u16");
    t.cold::<MulWide<i16>>("mul.wide.s16");
    t.cold::<MadWide<u16>>("mad.wide.u16");
    t.cold::<MadWide<i16>>("mad.wide.s16");
    t.cold::<MadHi<u16>>("mad.hi.u16");
    t.cold::<MadHi<i16>>("mad.hi.s16");
    t.cold::<MadHi<u32>>("mad.hi.u32");
    t.cold::<MadHi<i32>>("mad.hi.s32");
    t.cold::<MadHi<u64>>("mad.hi.u64");
    t.cold::<MadHi<i64>>("mad.hi.s64");
    t.cold::<MadHiSatS32>("mad.hi.sat.s32");
}
