//! The operations of atomics.

use super::change::{Change, Word};
use super::combine::Combine;
use super::general::General;
use super::sums::{Quick, Sum};
use crate::engine::warp::handler::{Handler, handler};
use crate::instr::alu::half::{extreme_bf16, extreme_f16};
use crate::lane::{Bf16, F16, HostVectors, LANES, lanes};

/// Declares the operations, one per row: a name, PTX's words for the operation and the types, the word in memory,
/// `quick` if it is a [`Sum`], and the new value, computed from the old value, the operands, and whether the word lies
/// in global memory.
macro_rules! operations {
    ($(
        $name:ident $operation:literal $($ty:literal)|+ $word:ident $($quick:ident)? =>
            |$old:ident, $b:ident, $c:ident, $global:ident| $new:expr;
    )*) => {
        $(
            pub(super) struct $name;
            impl Change for $name {
                type Word = $word;
                #[inline(always)]
                fn new($old: $word, $b: $word, $c: $word, $global: bool) -> $word { $new }
            }
        )*

        /// Returns the handler of an operation on a type, and the bytes of that type.
        pub(super) fn handler_for(
            vectors: HostVectors,
            operation: &str,
            ty: &str,
        ) -> Option<(Handler, u32)> {
            match (operation, ty) {
                $(($operation, $($ty)|+) => Some((
                    operations!(@handler vectors $name $($quick)?),
                    size_of::<$word>() as u32,
                )),)*
                _ => None,
            }
        }

        /// Returns the operations on single elements, with the words for them and for their types.
        pub(super) fn combinations() -> &'static [(&'static str, &'static [&'static str], Combine)] {
            &[$((
                $operation,
                &[$($ty),+],
                Combine { apply: combine::<$name>, size: size_of::<$word>() as u32 },
            )),*]
        }

        /// Whether a modifier names an operation.
        pub(super) fn is_operation(word: &str) -> bool {
            [$($operation),*].contains(&word)
        }
    };
    (@handler $vectors:ident $name:ident) => { General::<$name>::exec };
    (@handler $vectors:ident $name:ident quick) => { handler::<Quick<$name>>($vectors) };
}

operations! {
    Add32 "add" "u32" | "s32" u32 quick => |old, b, _c, _g| old.wrapping_add(b);
    Add64 "add" "u64" | "s64" u64 => |old, b, _c, _g| old.wrapping_add(b);
    AddF32 "add" "f32" u32 quick => |old, b, _c, g| sum32(old, b, g);
    AddF32Kept "add" "f32 kept" u32 => |old, b, _c, _g| sum32(old, b, false);
    AddF64 "add" "f64" u64 => |old, b, _c, g| sum64(old, b, g);
    AddF16 "add" "f16" u16 => |old, b, _c, _g| sum16(old, b);
    AddBf16 "add" "bf16" u16 => |old, b, _c, _g| sum_b16(old, b);
    AddF16x2 "add" "f16x2" u32 => |old, b, _c, _g| halves(old, b, sum16);
    AddBf16x2 "add" "bf16x2" u32 => |old, b, _c, _g| halves(old, b, sum_b16);
    Exch32 "exch" "b32" | "u32" | "s32" | "f32" u32 => |_old, b, _c, _g| b;
    Exch64 "exch" "b64" | "u64" | "s64" | "f64" u64 => |_old, b, _c, _g| b;
    Cas16 "cas" "b16" u16 => |old, b, c, _g| if old == b { c } else { old };
    Cas32 "cas" "b32" | "u32" | "s32" u32 => |old, b, c, _g| if old == b { c } else { old };
    Cas64 "cas" "b64" | "u64" | "s64" u64 => |old, b, c, _g| if old == b { c } else { old };
    MinS32 "min" "s32" u32 => |old, b, _c, _g| (old as i32).min(b as i32) as u32;
    MaxS32 "max" "s32" u32 => |old, b, _c, _g| (old as i32).max(b as i32) as u32;
    MinU32 "min" "u32" u32 => |old, b, _c, _g| old.min(b);
    MaxU32 "max" "u32" u32 => |old, b, _c, _g| old.max(b);
    MinS64 "min" "s64" u64 => |old, b, _c, _g| (old as i64).min(b as i64) as u64;
    MaxS64 "max" "s64" u64 => |old, b, _c, _g| (old as i64).max(b as i64) as u64;
    MinU64 "min" "u64" u64 => |old, b, _c, _g| old.min(b);
    MaxU64 "max" "u64" u64 => |old, b, _c, _g| old.max(b);
    MinF16 "min" "f16" u16 => |old, b, _c, _g| extreme_f16::<false>(old, b);
    MaxF16 "max" "f16" u16 => |old, b, _c, _g| extreme_f16::<true>(old, b);
    MinBf16 "min" "bf16" u16 => |old, b, _c, _g| extreme_bf16::<false>(old, b);
    MaxBf16 "max" "bf16" u16 => |old, b, _c, _g| extreme_bf16::<true>(old, b);
    MinF16x2 "min" "f16x2" u32 => |old, b, _c, _g| halves(old, b, extreme_f16::<false>);
    MaxF16x2 "max" "f16x2" u32 => |old, b, _c, _g| halves(old, b, extreme_f16::<true>);
    MinBf16x2 "min" "bf16x2" u32 => |old, b, _c, _g| halves(old, b, extreme_bf16::<false>);
    MaxBf16x2 "max" "bf16x2" u32 => |old, b, _c, _g| halves(old, b, extreme_bf16::<true>);
    And32 "and" "b32" | "u32" | "s32" u32 => |old, b, _c, _g| old & b;
    Or32 "or" "b32" | "u32" | "s32" u32 => |old, b, _c, _g| old | b;
    Xor32 "xor" "b32" | "u32" | "s32" u32 => |old, b, _c, _g| old ^ b;
    And64 "and" "b64" | "u64" | "s64" u64 => |old, b, _c, _g| old & b;
    Or64 "or" "b64" | "u64" | "s64" u64 => |old, b, _c, _g| old | b;
    Xor64 "xor" "b64" | "u64" | "s64" u64 => |old, b, _c, _g| old ^ b;
    Inc32 "inc" "u32" u32 => |old, b, _c, _g| if old >= b { 0 } else { old + 1 };
    Dec32 "dec" "u32" u32 => |old, b, _c, _g| if old == 0 || old > b { b } else { old - 1 };
}

/// Changes one element.
///
/// # Safety
/// As for [`Combine::apply`].
unsafe fn combine<C: Change>(to: *mut u8, from: *const u8, global: bool) {
    // SAFETY: the caller's contract.
    unsafe {
        let (to, value) = (to.cast::<C::Word>(), from.cast::<C::Word>().read());
        let mut seen = C::Word::load(to);
        while let Err(now) = C::Word::swap_if(to, seen, C::new(seen, value, value, global)) {
            seen = now;
        }
    }
}

/// Flushes subnormal numbers to zero.
fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

/// Returns a sum of f32, with the hardware's single NaN.
fn sum32(a: u32, b: u32, global: bool) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let sum = if global { flush(flush(x) + flush(y)) } else { x + y };
    if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() }
}

/// Returns a sum of f64. NaN keeps its payload. In global memory a NaN is not changed, and the second operand's takes
/// precedence; in shared memory, where the multiprocessor adds, it is made quiet.
fn sum64(a: u64, b: u64, global: bool) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    match (x.is_nan(), y.is_nan()) {
        (_, true) if global => b,
        (true, _) if global => a,
        (true, _) => a | (1 << 51),
        (_, true) => b | (1 << 51),
        _ => (x + y).to_bits(),
    }
}

fn sum16(a: u16, b: u16) -> u16 {
    F16::nearest(F16(a).to_f32() + F16(b).to_f32()).0
}

fn sum_b16(a: u16, b: u16) -> u16 {
    Bf16::nearest(Bf16(a).to_f32() + Bf16(b).to_f32()).0
}

fn halves(a: u32, b: u32, each: fn(u16, u16) -> u16) -> u32 {
    u32::from(each(a as u16, b as u16)) | (u32::from(each((a >> 16) as u16, (b >> 16) as u16)) << 16)
}

impl Sum for Add32 {
    #[inline(always)]
    fn changes(b: &[u32; LANES], mask: u32) -> Option<bool> {
        Some(Self::terms(b, mask).iter().fold(0, |all, term| all | term) != 0)
    }

    #[inline(always)]
    fn chain(seen: u32, b: &[u32; LANES], mask: u32, _: bool, old: &mut [u32; LANES]) -> u32 {
        let mut value = seen;
        for i in 0..LANES {
            old[i] = value;
            value = value.wrapping_add(b[i] & 0u32.wrapping_sub((mask >> i) & 1));
        }
        value
    }

    #[inline(always)]
    fn total(b: &[u32; LANES], mask: u32) -> Option<u32> {
        Some(Self::add(0, &Self::terms(b, mask)))
    }

    #[inline(always)]
    fn terms(b: &[u32; LANES], mask: u32) -> [u32; LANES] {
        let mut terms = *b;
        for i in 0..LANES {
            terms[i] &= 0u32.wrapping_sub((mask >> i) & 1);
        }
        terms
    }

    #[inline(always)]
    fn add(seen: u32, terms: &[u32; LANES]) -> u32 {
        terms.iter().fold(seen, |sum, term| sum.wrapping_add(*term))
    }
}

impl Sum for AddF32 {
    #[inline(always)]
    fn changes(_: &[u32; LANES], _: u32) -> Option<bool> {
        // A small number changes no large one.
        None
    }

    fn total(_: &[u32; LANES], _: u32) -> Option<u32> {
        // Each lane's sum is rounded separately.
        None
    }

    #[inline(always)]
    fn chain(seen: u32, b: &[u32; LANES], mask: u32, global: bool, old: &mut [u32; LANES]) -> u32 {
        let first = f32::from_bits(seen);
        let (after, odd) = sums(if global { flush(first) } else { first }, &terms(b, mask, global), global);
        if odd {
            let mut value = seen;
            for lane in lanes(mask) {
                old[lane] = value;
                value = Self::new(value, b[lane], 0, global);
            }
            return value;
        }
        old[0] = seen;
        for i in 1..LANES {
            old[i] = after[i - 1].to_bits();
        }
        // The first running lane gets the previous value before it is flushed.
        old[mask.trailing_zeros() as usize & 31] = seen;
        after[LANES - 1].to_bits()
    }

    #[inline(always)]
    fn terms(b: &[u32; LANES], mask: u32) -> [u32; LANES] {
        terms(b, mask, true)
    }

    fn add(seen: u32, terms: &[u32; LANES]) -> u32 {
        let (after, odd) = sums(flush(f32::from_bits(seen)), terms, true);
        if odd {
            return terms.iter().fold(seen, |value, &term| Self::new(value, term, 0, true));
        }
        after[LANES - 1].to_bits()
    }
}

/// Returns the lanes' terms. A lane that does not run adds -0, which changes no number.
#[inline(always)]
fn terms(b: &[u32; LANES], mask: u32, global: bool) -> [u32; LANES] {
    // A loop, because library functions would be compiled for other vectors.
    let mut terms = [0; LANES];
    for i in 0..LANES {
        let x = f32::from_bits(b[i]);
        let x = if global { flush(x) } else { x };
        terms[i] = if (mask >> i) & 1 != 0 { x } else { -0.0 }.to_bits();
    }
    terms
}

/// Returns the sum after each lane, and whether one of them may differ from the hardware's: it is NaN or, in global
/// memory, subnormal.
#[inline(always)]
fn sums(first: f32, terms: &[u32; LANES], global: bool) -> ([f32; LANES], bool) {
    let (mut value, mut after) = (first, [0f32; LANES]);
    for i in 0..LANES {
        value += f32::from_bits(terms[i]);
        after[i] = value;
    }
    let mut odd = false;
    for sum in after {
        odd |= sum.is_nan() | (global & sum.is_subnormal());
    }
    (after, odd)
}
