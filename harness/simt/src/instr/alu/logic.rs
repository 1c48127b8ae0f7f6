//! Logic on words and predicates, shifts, and moves.

use super::dispatch::{Bitwise, op};
use super::table::FormTable;
use crate::lane::Lane;

/// A word of bits.
pub trait Word: Lane + Eq + Default {
    /// Every bit inverted.
    fn not(self) -> Self;
    /// Bits in both.
    fn and(self, b: Self) -> Self;
    /// Bits in either.
    fn or(self, b: Self) -> Self;
    /// Bits in one.
    fn xor(self, b: Self) -> Self;
    /// Shifted left; zero if `n` is the width or more.
    fn shl(self, n: u32) -> Self;
    /// Shifted right, filled with zeros or copies of the sign; `n` beyond the width counts as the width.
    fn shr(self, n: u32) -> Self;
    /// 1 or 0.
    fn from_bool(b: bool) -> Self;
}
macro_rules! word {
    ($($t:ident $bits:literal $fill:expr;)*) => {$(
        impl Word for $t {
            #[inline(always)]
            fn not(self) -> $t { !self }
            #[inline(always)]
            fn and(self, b: $t) -> $t { self & b }
            #[inline(always)]
            fn or(self, b: $t) -> $t { self | b }
            #[inline(always)]
            fn xor(self, b: $t) -> $t { self ^ b }
            #[inline(always)]
            fn shl(self, n: u32) -> $t { if n >= $bits { 0 } else { self << (n & ($bits - 1)) } }
            #[inline(always)]
            fn shr(self, n: u32) -> $t {
                if n >= $bits { ($fill)(self) } else { self >> (n & ($bits - 1)) }
            }
            #[inline(always)]
            fn from_bool(b: bool) -> $t { $t::from(b) }
        }
    )*};
}
word! {
    u16 16 |_| 0;
    u32 32 |_| 0;
    u64 64 |_| 0;
    i16 16 |x: i16| x >> 15;
    i32 32 |x: i32| x >> 31;
    i64 64 |x: i64| x >> 63;
}

op! {
    /// Bits in both.
    And<T: Word>(a: T, b: T) -> T { a.and(b) }
    /// Bits in either.
    Or<T: Word>(a: T, b: T) -> T { a.or(b) }
    /// Bits in one.
    Xor<T: Word>(a: T, b: T) -> T { a.xor(b) }
    /// Every bit inverted.
    Not<T: Word>(a: T) -> T { a.not() }
    /// Logical negation: 1 for 0, else 0.
    Cnot<T: Word>(a: T) -> T { T::from_bool(a == T::default()) }
    /// Shift left.
    Shl<T: Word>(a: T, n: u32) -> T { a.shl(n) }
    /// Shift right.
    Shr<T: Word>(a: T, n: u32) -> T { a.shr(n) }
    /// A copy.
    Mov<T: Lane>(a: T) -> T { a }
    /// Any bitwise function of three inputs; the immediate is its truth table.
    Lop3(a: u32, b: u32, c: u32) [lut] -> u32 { lop3(a, b, c, lut) }
    /// `lop3`, and whether the result is not zero or `q` holds.
    Lop3Or(a: u32, b: u32, c: u32, q: bool) [lut] -> u32, bool { let d = lop3(a, b, c, lut); (d, (d != 0) | q) }
    /// `lop3`, and whether the result is not zero and `q` holds.
    Lop3And(a: u32, b: u32, c: u32, q: bool) [lut] -> u32, bool { let d = lop3(a, b, c, lut); (d, (d != 0) & q) }
    /// Left funnel shift: the high word of `b:a` shifted left by up to 32.
    ShfLClamp(a: u32, b: u32, c: u32) -> u32 { shf_left(a, b, c.min(32)) }
    /// Left funnel shift by `c` modulo 32.
    ShfLWrap(a: u32, b: u32, c: u32) -> u32 { shf_left(a, b, c & 31) }
    /// Right funnel shift: the low word of `b:a` shifted right by up to 32.
    ShfRClamp(a: u32, b: u32, c: u32) -> u32 { shf_right(a, b, c.min(32)) }
    /// Right funnel shift by `c` modulo 32.
    ShfRWrap(a: u32, b: u32, c: u32) -> u32 { shf_right(a, b, c & 31) }
}

/// Selects `high` where `s` has ones and `low` elsewhere.
#[inline(always)]
fn mux(s: u32, high: u32, low: u32) -> u32 {
    low ^ (s & (low ^ high))
}

/// Bit `i` of `lut` is the result for inputs `a b c` that form `i` in binary.
#[inline(always)]
fn lop3(a: u32, b: u32, c: u32, lut: u64) -> u32 {
    let all = |i: u32| 0u32.wrapping_sub((lut >> i) as u32 & 1);
    let by_c = |i: u32| mux(c, all(i + 1), all(i));
    let low = mux(b, by_c(2), by_c(0));
    let high = mux(b, by_c(6), by_c(4));
    mux(a, high, low)
}

#[inline(always)]
fn shf_left(a: u32, b: u32, n: u32) -> u32 {
    let both = (u64::from(b) << 32) | u64::from(a);
    ((both << n) >> 32) as u32
}

#[inline(always)]
fn shf_right(a: u32, b: u32, n: u32) -> u32 {
    let both = (u64::from(b) << 32) | u64::from(a);
    (both >> n) as u32
}

macro_rules! predicates {
    ($($(#[$m:meta])* $name:ident $sources:literal |$a:ident, $b:ident| $body:expr;)*) => {$(
        $(#[$m])*
        pub struct $name;
        impl Bitwise for $name {
            const SOURCES: usize = $sources;
            #[inline(always)]
            fn eval($a: u32, $b: u32) -> u32 { $body }
        }
    )*};
}
predicates! {
    /// Both.
    AndPred 2 |a, b| a & b;
    /// Either.
    OrPred 2 |a, b| a | b;
    /// One of the two.
    XorPred 2 |a, b| a ^ b;
    /// Not.
    NotPred 1 |a, _b| !a;
    /// A copy.
    MovPred 1 |a, _b| a;
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    t.bits::<AndPred>("and.pred");
    t.bits::<OrPred>("or.pred");
    t.bits::<XorPred>("xor.pred");
    t.bits::<NotPred>(["not.pred", "cnot.pred"]);
    t.bits::<MovPred>("mov.pred");
    t.hot::<And<u32>>("and.b32");
    t.hot::<Or<u32>>("or.b32");
    t.hot::<Xor<u32>>("xor.b32");
    t.warm::<Not<u32>>("not.b32");
    t.hot::<And<u64>>("and.b64");
    t.hot::<Or<u64>>("or.b64");
    t.hot::<Xor<u64>>("xor.b64");
    t.cold::<Not<u64>>("not.b64");
    t.hot::<And<u16>>("and.b16");
    t.hot::<Or<u16>>("or.b16");
    t.cold::<Xor<u16>>("xor.b16");
    t.cold::<Not<u16>>("not.b16");
    t.cold::<Cnot<u16>>("cnot.b16");
    t.cold::<Cnot<u32>>("cnot.b32");
    t.cold::<Cnot<u64>>("cnot.b64");
    t.hot::<Shl<u32>>("shl.b32");
    t.hot::<Shl<u64>>("shl.b64");
    t.hot::<Shl<u16>>("shl.b16");
    t.hot::<Shr<u32>>(["shr.u32", "shr.b32"]);
    t.hot::<Shr<u64>>(["shr.u64", "shr.b64"]);
    t.hot::<Shr<u16>>(["shr.u16", "shr.b16"]);
    t.hot::<Shr<i32>>("shr.s32");
    t.warm::<Shr<i64>>("shr.s64");
    t.cold::<Shr<i16>>("shr.s16");
    t.hot::<Mov<u16>>(["mov.b16", "mov.u16", "mov.s16", "mov.f16", "mov.bf16"]);
    t.hot::<Mov<u32>>(["mov.b32", "mov.u32", "mov.s32", "mov.f32"]);
    t.hot::<Mov<u64>>(["mov.b64", "mov.u64", "mov.s64", "mov.f64"]);
    t.warm::<Lop3>("lop3.b32").imm = super::table::Imm::Operand;
    t.cold::<Lop3Or>("lop3.or.b32|").imm = super::table::Imm::Operand;
    t.cold::<Lop3And>("lop3.and.b32|").imm = super::table::Imm::Operand;
    t.warm::<ShfLClamp>("shf.l.clamp.b32");
    t.warm::<ShfLWrap>("shf.l.wrap.b32");
    t.warm::<ShfRClamp>("shf.r.clamp.b32");
    t.warm::<ShfRWrap>("shf.r.wrap.b32");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lop3_of_the_three_patterns_is_its_table() {
        for lut in 0..=255u64 {
            assert_eq!(lop3(0xf0, 0xcc, 0xaa, lut) & 0xff, lut as u32);
        }
    }

    #[test]
    fn shifts_beyond_the_width() {
        assert_eq!(1u32.shl(32), 0);
        assert_eq!(1u32.shl(u32::MAX), 0);
        assert_eq!((-5i32).shr(32), -1);
        assert_eq!((-5i64).shr(64), -1);
        assert_eq!(u64::MAX.shr(63), 1);
        assert_eq!(u16::MAX.shr(16), 0);
    }

    #[test]
    fn funnel_shifts_at_their_ends() {
        let (a, b) = (0x1111_2222, 0x3333_4444);
        assert_eq!(shf_left(a, b, 0), b);
        assert_eq!(shf_left(a, b, 32), a);
        assert_eq!(shf_right(a, b, 0), a);
        assert_eq!(shf_right(a, b, 32), b);
        assert_eq!(shf_right(a, b, 16), 0x4444_1111);
    }
}
