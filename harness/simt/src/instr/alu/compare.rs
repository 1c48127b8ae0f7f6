//! Comparisons: `setp` into predicates, `set` into registers, `testp`.

use std::cmp::Ordering;

use super::dispatch::op;
use super::float::{Float, flush};
use super::table::FormTable;
use crate::lane::{Bf16, F16, Lane};
use ptx::ast::Type;

/// A relation between two values, one of which may be NaN.
pub trait Relation {
    /// Whether it holds.
    fn holds<T: PartialOrd>(a: T, b: T) -> bool;
}
macro_rules! relations {
    ($($(#[$m:meta])* $name:ident |$a:ident, $b:ident| $body:expr;)*) => {$(
        $(#[$m])*
        pub struct $name;
        impl Relation for $name {
            #[inline(always)]
            #[allow(clippy::eq_op, clippy::neg_cmp_op_on_partial_ord)]
            fn holds<T: PartialOrd>($a: T, $b: T) -> bool { $body }
        }
    )*};
}
relations! {
    /// Equal.
    Eq |a, b| a == b;
    /// Not equal, for integers.
    NeInt |a, b| a != b;
    /// Not equal, and neither is NaN.
    Ne |a, b| (a < b) | (a > b);
    /// Less.
    Lt |a, b| a < b;
    /// Less or equal.
    Le |a, b| a <= b;
    /// Greater.
    Gt |a, b| a > b;
    /// Greater or equal.
    Ge |a, b| a >= b;
    /// Equal, or one is NaN.
    Equ |a, b| !((a < b) | (a > b));
    /// Not equal, or one is NaN.
    Neu |a, b| a != b;
    /// Less, or one is NaN.
    Ltu |a, b| !(a >= b);
    /// Less or equal, or one is NaN.
    Leu |a, b| !(a > b);
    /// Greater, or one is NaN.
    Gtu |a, b| !(a <= b);
    /// Greater or equal, or one is NaN.
    Geu |a, b| !(a < b);
    /// Neither is NaN.
    Num |a, b| (a == a) & (b == b);
    /// One is NaN.
    Nan |a, b| (a != a) | (b != b);
}

/// The outcomes of comparing two values, one bit each: less, equal, greater, unordered. A relation is the set of
/// outcomes for which it holds.
const LESS: u64 = 1;
const EQUAL: u64 = 2;
const GREATER: u64 = 4;
const UNORDERED: u64 = 8;

/// The relations by name.
pub(super) const NAMES: [(&str, u64); 14] = [
    ("eq", EQUAL),
    ("ne", LESS | GREATER),
    ("lt", LESS),
    ("le", LESS | EQUAL),
    ("gt", GREATER),
    ("ge", GREATER | EQUAL),
    ("equ", EQUAL | UNORDERED),
    ("neu", LESS | GREATER | UNORDERED),
    ("ltu", LESS | UNORDERED),
    ("leu", LESS | EQUAL | UNORDERED),
    ("gtu", GREATER | UNORDERED),
    ("geu", GREATER | EQUAL | UNORDERED),
    ("num", LESS | EQUAL | GREATER),
    ("nan", UNORDERED),
];
/// Additional names for unsigned integers: lower, lower or same, higher, higher or same.
const UNSIGNED: [(&str, u64); 4] = [("lo", LESS), ("ls", LESS | EQUAL), ("hi", GREATER), ("hs", GREATER | EQUAL)];
/// How a comparison is combined with a predicate, in the order of the codes from 1.
pub(super) const JOINS: [&str; 3] = ["and", "or", "xor"];
/// The code's bit for `.ftz`.
pub(super) const FTZ: u64 = 1 << 8;
/// The first bit of the value that `set` writes when the relation holds.
const FLAG: u32 = 32;

/// Whether the relation in the code holds.
pub(super) fn holds<T: PartialOrd>(code: u64, a: T, b: T) -> bool {
    let outcome = match a.partial_cmp(&b) {
        Some(Ordering::Less) => LESS,
        Some(Ordering::Equal) => EQUAL,
        Some(Ordering::Greater) => GREATER,
        None => UNORDERED,
    };
    code & outcome != 0
}

/// Combines a comparison and a predicate as bits 4 and 5 of the code specify.
pub(super) fn join(code: u64, t: bool, c: bool) -> bool {
    match (code >> 4) & 3 {
        0 => t,
        1 => t & c,
        2 => t | c,
        _ => t ^ c,
    }
}

/// A type that `setp` compares.
pub trait Comparable: Lane {
    /// The type that is compared.
    type As: PartialOrd;
    /// The value, flushed to zero if it is subnormal and the code has `.ftz`.
    fn value(self, code: u64) -> Self::As;
}
macro_rules! comparable {
    ($($t:ident => $as:ident |$x:ident, $code:ident| $body:expr;)*) => {$(
        impl Comparable for $t {
            type As = $as;
            #[inline(always)]
            fn value(self, $code: u64) -> $as { let $x = self; $body }
        }
    )*};
}
comparable! {
    u16 => u16 |x, _code| x;
    i16 => i16 |x, _code| x;
    u32 => u32 |x, _code| x;
    i32 => i32 |x, _code| x;
    u64 => u64 |x, _code| x;
    i64 => i64 |x, _code| x;
    f32 => f32 |x, code| if code & FTZ != 0 { flush(x) } else { x };
    f64 => f64 |x, _code| x;
    F16 => f32 |x, code| if code & FTZ != 0 { x.flushed().to_f32() } else { x.to_f32() };
    Bf16 => f32 |x, _code| x.to_f32();
}

op! {
    /// Whether the relation holds.
    Setp<T: PartialOrdLane, R: Relation>(a: T, b: T) -> bool { R::holds(a, b) }
    /// Whether the relation holds when subnormal numbers count as zero.
    SetpFtz<R: Relation>(a: f32, b: f32) -> bool { R::holds(flush(a), flush(b)) }
    /// Whether the relation in the code holds, combined with a predicate.
    SetpJoin<T: Comparable>(a: T, b: T, c: bool) [code] -> bool {
        join(code, holds(code, a.value(code), b.value(code)), c)
    }
    /// Whether the relation in the code holds, and whether it does not, each combined with a predicate.
    SetpJoinPair<T: Comparable>(a: T, b: T, c: bool) [code] -> bool, bool {
        let t = holds(code, a.value(code), b.value(code));
        (join(code, t, c), join(code, !t, c))
    }
    /// The code's value if the relation holds, else zero.
    Set<T: Comparable>(a: T, b: T, c: bool) [code] -> u32 {
        if join(code, holds(code, a.value(code), b.value(code)), c) { (code >> FLAG) as u32 } else { 0 }
    }
    /// The code's value if the relation holds, else zero, in 16 bits.
    Set16<T: Comparable>(a: T, b: T, c: bool) [code] -> u16 {
        if join(code, holds(code, a.value(code), b.value(code)), c) { (code >> FLAG) as u16 } else { 0 }
    }
    /// Whether a number is in a class; the immediate is the index of the class.
    Testp<T: Float>(a: T) [kind] -> bool {
        match kind {
            0 => a.is_finite(),
            1 => a.is_infinite(),
            2 => !a.is_nan(),
            3 => a.is_nan(),
            // Zero counts as normal.
            4 => a.is_normal() | (a == T::default()),
            _ => a.is_subnormal(),
        }
    }
}

/// A lane type with an order.
pub trait PartialOrdLane: Lane + PartialOrd {}
impl<T: Lane + PartialOrd> PartialOrdLane for T {}

/// The classes of `testp`, in the order of their codes.
const KINDS: [&str; 6] = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];

/// Which relations a type has.
#[derive(Clone, Copy, PartialEq)]
enum RelationSet {
    Equality,
    Signed,
    Unsigned,
    Float,
}

/// Names and codes of a type's relations.
fn relations(kind: RelationSet) -> Vec<(&'static str, u64)> {
    let first = |n: usize| NAMES[..n].iter().copied();
    match kind {
        RelationSet::Equality => first(2).collect(),
        RelationSet::Signed => first(6).collect(),
        RelationSet::Unsigned => first(6).chain(UNSIGNED).collect(),
        RelationSet::Float => first(14).collect(),
    }
}

/// Adds this family's rows.
pub fn rows(t: &mut FormTable) {
    warm_rows(t);
    of_type::<u16>(t, "b16", RelationSet::Equality);
    of_type::<u16>(t, "u16", RelationSet::Unsigned);
    of_type::<i16>(t, "s16", RelationSet::Signed);
    of_type::<u32>(t, "b32", RelationSet::Equality);
    of_type::<u32>(t, "u32", RelationSet::Unsigned);
    of_type::<i32>(t, "s32", RelationSet::Signed);
    of_type::<u64>(t, "b64", RelationSet::Equality);
    of_type::<u64>(t, "u64", RelationSet::Unsigned);
    of_type::<i64>(t, "s64", RelationSet::Signed);
    of_type::<f32>(t, "f32", RelationSet::Float);
    of_type::<f64>(t, "f64", RelationSet::Float);
    of_type::<F16>(t, "f16", RelationSet::Float);
    of_type::<Bf16>(t, "bf16", RelationSet::Float);
    for (kind, name) in KINDS.iter().enumerate() {
        t.cold_preset::<Testp<f32>>(format!("testp.{name}.f32"), kind as u64);
        t.cold_preset::<Testp<f64>>(format!("testp.{name}.f64"), kind as u64);
    }
}

fn warm_rows(t: &mut FormTable) {
    macro_rules! both {
        ($t:ty, $bits:literal, $($rel:ident $name:literal),*) => {$(
            t.warm::<Setp<$t, $rel>>([
                concat!("setp.", $name, ".b", $bits),
                concat!("setp.", $name, ".u", $bits),
                concat!("setp.", $name, ".s", $bits),
            ]);
        )*};
    }
    macro_rules! unsigned {
        ($t:ty, $bits:literal, $($rel:ident $name:literal $other:literal),*) => {$(
            t.warm::<Setp<$t, $rel>>([
                concat!("setp.", $name, ".u", $bits),
                concat!("setp.", $other, ".u", $bits),
            ]);
        )*};
    }
    macro_rules! one {
        ($t:ty, $ty:literal, $($rel:ident $name:literal),*) => {$(
            t.warm::<Setp<$t, $rel>>(concat!("setp.", $name, ".", $ty));
        )*};
    }
    both!(u16, "16", Eq "eq", NeInt "ne");
    both!(u32, "32", Eq "eq", NeInt "ne");
    both!(u64, "64", Eq "eq", NeInt "ne");
    unsigned!(u32, "32", Lt "lt" "lo", Le "le" "ls", Gt "gt" "hi", Ge "ge" "hs");
    unsigned!(u64, "64", Lt "lt" "lo", Le "le" "ls", Gt "gt" "hi", Ge "ge" "hs");
    one!(i32, "s32", Lt "lt", Le "le", Gt "gt", Ge "ge");
    one!(i64, "s64", Lt "lt", Le "le", Gt "gt", Ge "ge");
    one!(f32, "f32", Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge");
    one!(f32, "f32", Equ "equ", Neu "neu", Ltu "ltu", Leu "leu", Gtu "gtu", Geu "geu", Num "num", Nan "nan");
    one!(f64, "f64", Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge");
    one!(f64, "f64", Equ "equ", Neu "neu", Ltu "ltu", Leu "leu", Gtu "gtu", Geu "geu", Num "num", Nan "nan");
    macro_rules! flushed {
        ($($rel:ident $name:literal),*) => {$(
            t.warm::<SetpFtz<$rel>>(concat!("setp.", $name, ".ftz.f32"));
        )*};
    }
    flushed!(Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge");
    flushed!(Equ "equ", Neu "neu", Ltu "ltu", Leu "leu", Gtu "gtu", Geu "geu", Num "num", Nan "nan");
}

/// Adds a type's rows besides the warm ones.
fn of_type<T: Comparable>(t: &mut FormTable, ty: &str, kind: RelationSet) {
    let flushes: &[(&str, u64)] = match ty {
        "f32" | "f16" => &[("", 0), (".ftz", FTZ)],
        _ => &[("", 0)],
    };
    for (name, relation) in relations(kind) {
        for (join, bits) in [""].iter().chain(&JOINS).zip(0u64..) {
            let dot = if join.is_empty() { "" } else { "." };
            for &(ftz, f) in flushes {
                let start = format!("{name}{dot}{join}{ftz}");
                let code = relation | f | (bits << 4);
                // One handler serves both. Without a predicate operand it reads some predicate and ignores it.
                let sources = if bits == 0 { 2 } else { 3 };
                let single = format!("setp.{start}.{ty}");
                if !t.has(&single) {
                    let form = t.cold_preset::<SetpJoin<T>>(single, code);
                    form.src.truncate(sources);
                }
                let form = t.cold_preset::<SetpJoinPair<T>>(format!("setp.{start}.{ty}|"), code);
                form.src.truncate(sources);
                set_rows::<T>(t, &format!("set.{start}"), ty, code, sources);
            }
        }
    }
}

fn set_rows<T: Comparable>(t: &mut FormTable, start: &str, ty: &str, code: u64, sources: usize) {
    let code = |flag: u64| code | (flag << FLAG);
    let words = vec![format!("{start}.u32.{ty}"), format!("{start}.s32.{ty}")];
    let form = t.cold_preset::<Set<T>>(words, code(0xffff_ffff));
    form.src.truncate(sources);
    let one = u64::from(1f32.to_bits());
    let form = t.cold_preset::<Set<T>>(format!("{start}.f32.{ty}"), code(one));
    form.src.truncate(sources);
    form.dst = Type::F32;
    let own = match ty {
        "f16" => (Type::F16, 0x3c00),
        "bf16" => (Type::Bf16, 0x3f80),
        _ => return,
    };
    let words = vec![format!("{start}.u16.{ty}"), format!("{start}.s16.{ty}")];
    let form = t.cold_preset::<Set16<T>>(words, code(0xffff));
    form.src.truncate(sources);
    let form = t.cold_preset::<Set16<T>>(format!("{start}.{ty}.{ty}"), code(own.1));
    form.src.truncate(sources);
    form.dst = own.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_with_nan() {
        let nan = f32::NAN;
        let expected = [
            // name, (1, 2), (2, 2), (nan, 2)
            ("eq", [false, true, false]),
            ("ne", [true, false, false]),
            ("lt", [true, false, false]),
            ("le", [true, true, false]),
            ("gt", [false, false, false]),
            ("ge", [false, true, false]),
            ("equ", [false, true, true]),
            ("neu", [true, false, true]),
            ("ltu", [true, false, true]),
            ("leu", [true, true, true]),
            ("gtu", [false, false, true]),
            ("geu", [false, true, true]),
            ("num", [true, true, false]),
            ("nan", [false, false, true]),
        ];
        for ((name, want), (known, code)) in expected.iter().zip(NAMES) {
            assert_eq!(known, *name);
            let got = [(1.0, 2.0), (2.0, 2.0), (nan, 2.0)].map(|(a, b)| holds(code, a, b));
            assert_eq!(got, *want, "{name}");
        }
    }

    #[test]
    fn joins_take_the_predicate() {
        for (t, c) in [(false, false), (false, true), (true, false), (true, true)] {
            assert_eq!(join(0, t, c), t);
            assert_eq!(join(1 << 4, t, c), t && c);
            assert_eq!(join(2 << 4, t, c), t || c);
            assert_eq!(join(3 << 4, t, c), t != c);
        }
    }

    #[test]
    fn flushing_makes_subnormals_equal_zero() {
        let tiny = f32::from_bits(1);
        assert!(holds(EQUAL, tiny.value(FTZ), 0f32.value(FTZ)));
        assert!(!holds(EQUAL, tiny.value(0), 0f32.value(0)));
        assert!(!holds(EQUAL, F16(1).value(0), F16(0).value(0)));
        assert!(holds(EQUAL, F16(1).value(FTZ), F16(0).value(FTZ)));
    }
}
