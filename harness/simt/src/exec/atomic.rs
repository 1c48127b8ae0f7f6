//! Atomics. Operands: address in `a` plus `imm`, value in `b`, second value (`cas`: what is stored) in `c`, the old value to `d`
//! unless that is `u32::MAX` (`red`); `e` is the space as loads have it.
//!
//! Lanes go in ascending order, in another if the launch has a seed. Global memory is changed by atomics of the host; a block's
//! shared memory has one thread of the host to itself.

use super::access::{Pointers, Request};
use super::atomic_hot::Hot;
use super::control::lanes;
use super::{Flow, Warp, access, handler, load_store};
use crate::finding::{Space, What};
use crate::isa::dispatch::{Handler, Isa};
use crate::lane::{Bf16, F16, LANES};
use crate::program::Op;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A value that the host changes atomically.
pub(super) trait Word: Copy + PartialEq + Default {
    fn wide(self) -> u64;
    unsafe fn load(at: *mut Self) -> Self;
    unsafe fn swap_if(at: *mut Self, old: Self, new: Self) -> Result<Self, Self>;
}
macro_rules! words {
    ($($t:ty, $a:ident;)*) => {$(
        impl Word for $t {
            #[inline(always)]
            fn wide(self) -> u64 { u64::from(self) }
            #[inline(always)]
            unsafe fn load(at: *mut Self) -> Self {
                // SAFETY: the address has been checked, and is aligned.
                unsafe { $a::from_ptr(at) }.load(Ordering::Relaxed)
            }
            #[inline(always)]
            unsafe fn swap_if(at: *mut Self, old: Self, new: Self) -> Result<Self, Self> {
                // SAFETY: as above.
                unsafe { $a::from_ptr(at) }.compare_exchange_weak(old, new, Ordering::SeqCst, Ordering::Relaxed)
            }
        }
    )*};
}
words! { u16, AtomicU16; u32, AtomicU32; u64, AtomicU64; }

/// What an atomic does to a value.
pub(super) trait Change {
    type Word: Word;
    /// From the old value and the operands to the new; `global`: on global memory, where floats flush subnormals.
    fn new(old: Self::Word, b: Self::Word, c: Self::Word, global: bool) -> Self::Word;
}

macro_rules! changes {
    ($($name:ident : $t:ty, |$old:ident, $b:ident, $c:ident, $global:ident| $new:expr;)*) => {$(
        pub(super) struct $name;
        impl Change for $name {
            type Word = $t;
            #[inline(always)]
            fn new($old: $t, $b: $t, $c: $t, $global: bool) -> $t { $new }
        }
    )*};
}

pub(super) fn flush(x: f32) -> f32 {
    if x.is_subnormal() {
        0f32.copysign(x)
    } else {
        x
    }
}

/// The NaN that the hardware gives.
fn sum32(a: u32, b: u32, global: bool) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let sum = if global {
        flush(flush(x) + flush(y))
    } else {
        x + y
    };
    if sum.is_nan() {
        0x7fff_ffff
    } else {
        sum.to_bits()
    }
}

/// NaN keeps its payload: on global memory, whose units take the second operand's first, as it is; in shared memory, where the
/// multiprocessor adds, made quiet.
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

fn halves(a: u32, b: u32, sum: fn(u16, u16) -> u16) -> u32 {
    u32::from(sum(a as u16, b as u16)) | (u32::from(sum((a >> 16) as u16, (b >> 16) as u16)) << 16)
}

changes! {
    Add32: u32, |old, b, _c, _g| old.wrapping_add(b);
    Add64: u64, |old, b, _c, _g| old.wrapping_add(b);
    AddF32: u32, |old, b, _c, g| sum32(old, b, g);
    AddF64: u64, |old, b, _c, g| sum64(old, b, g);
    AddF16: u16, |old, b, _c, _g| sum16(old, b);
    AddBf16: u16, |old, b, _c, _g| sum_b16(old, b);
    AddF16x2: u32, |old, b, _c, _g| halves(old, b, sum16);
    AddBf16x2: u32, |old, b, _c, _g| halves(old, b, sum_b16);
    Exch32: u32, |_old, b, _c, _g| b;
    Exch64: u64, |_old, b, _c, _g| b;
    Cas16: u16, |old, b, c, _g| if old == b { c } else { old };
    Cas32: u32, |old, b, c, _g| if old == b { c } else { old };
    Cas64: u64, |old, b, c, _g| if old == b { c } else { old };
    MinS32: u32, |old, b, _c, _g| (old as i32).min(b as i32) as u32;
    MaxS32: u32, |old, b, _c, _g| (old as i32).max(b as i32) as u32;
    MinU32: u32, |old, b, _c, _g| old.min(b);
    MaxU32: u32, |old, b, _c, _g| old.max(b);
    MinS64: u64, |old, b, _c, _g| (old as i64).min(b as i64) as u64;
    MaxS64: u64, |old, b, _c, _g| (old as i64).max(b as i64) as u64;
    MinU64: u64, |old, b, _c, _g| old.min(b);
    MaxU64: u64, |old, b, _c, _g| old.max(b);
    And32: u32, |old, b, _c, _g| old & b;
    Or32: u32, |old, b, _c, _g| old | b;
    Xor32: u32, |old, b, _c, _g| old ^ b;
    And64: u64, |old, b, _c, _g| old & b;
    Or64: u64, |old, b, _c, _g| old | b;
    Xor64: u64, |old, b, _c, _g| old ^ b;
    Inc32: u32, |old, b, _c, _g| if old >= b { 0 } else { old + 1 };
    Dec32: u32, |old, b, _c, _g| if old == 0 || old > b { b } else { old - 1 };
}

pub(super) struct Atomic<C>(PhantomData<C>);
impl<C: Change> Atomic<C> {
    pub(super) unsafe fn exec(warp: &mut Warp, op: &Op) -> Flow {
        let request = Request {
            space: load_store::space(op.e),
            size: size_of::<C::Word>() as u32,
            what: What::Atomic,
        };
        let mut at: Pointers = [0; LANES];
        // SAFETY: registers of the word's width; the addresses have been checked.
        unsafe {
            let resolve = warp.worker().resolve;
            if !resolve(warp, op, request, &mut at) {
                return Flow::Stop;
            }
            let mask = warp.mask();
            let b = &*warp.reg::<[C::Word; LANES]>(op.b);
            let c = &*warp.reg::<[C::Word; LANES]>(op.c);
            let first = mask.trailing_zeros() as usize & 31;
            // Shared memory is the block's own, and global memory everybody's.
            let own =
                (warp.shared as u64..warp.shared as u64 + warp.shared_len).contains(&at[first]);
            let mut old = [C::Word::default(); LANES];
            let mut differ = 0u64;
            for i in 0..LANES {
                let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
                differ |= (at[i] ^ at[first]) & on;
            }
            let seed = warp.worker().launch().seed;
            let rotate = if seed == 0 {
                0
            } else {
                (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32 + warp.index
            } & 31;
            let mut changed = false;
            if differ == 0 {
                // One address: the lanes' changes one after another, then a single change of the memory.
                let to = at[first] as *mut C::Word;
                let mut seen = if own { to.read() } else { C::Word::load(to) };
                loop {
                    let mut value = seen;
                    for lane in in_order(mask, rotate) {
                        old[lane] = value;
                        value = C::new(value, b[lane], c[lane], !own);
                    }
                    changed = value != seen;
                    if !changed {
                        break;
                    }
                    if own {
                        to.write(value);
                        break;
                    }
                    match C::Word::swap_if(to, seen, value) {
                        Ok(_) => break,
                        Err(now) => seen = now,
                    }
                }
            } else {
                for lane in in_order(mask, rotate) {
                    let to = at[lane] as *mut C::Word;
                    if own {
                        let seen = to.read();
                        old[lane] = seen;
                        let new = C::new(seen, b[lane], c[lane], false);
                        changed |= new != seen;
                        to.write(new);
                        continue;
                    }
                    let mut seen = C::Word::load(to);
                    loop {
                        let new = C::new(seen, b[lane], c[lane], true);
                        if new == seen {
                            break;
                        }
                        match C::Word::swap_if(to, seen, new) {
                            Ok(_) => {
                                changed = true;
                                break;
                            }
                            Err(now) => seen = now,
                        }
                    }
                    old[lane] = seen;
                }
            }
            if warp.counting {
                let collisions = collisions(&at, mask, differ == 0);
                (*warp.sites.add(op.site as usize)).extra += u64::from(collisions);
            }
            if !changed {
                let digest = lanes(mask).fold(0u64, |d, lane| d.rotate_left(7) ^ old[lane].wide());
                warp.polled(op.site, digest);
            }
            warp.switch_point();
            if op.d != u32::MAX {
                let to = &mut *warp.reg::<[C::Word; LANES]>(op.d);
                for lane in lanes(mask) {
                    to[lane] = old[lane];
                }
            }
        }
        Flow::Next
    }
}

/// The lanes of a mask, ascending from one of them round to the one before.
#[inline(always)]
fn in_order(mask: u32, from: u32) -> impl Iterator<Item = usize> {
    lanes(mask.rotate_right(from)).map(move |lane| (lane + from as usize) & 31)
}

/// Lanes whose address another lane before them has.
fn collisions(at: &Pointers, mask: u32, same: bool) -> u32 {
    let count = mask.count_ones();
    if same {
        return count - 1;
    }
    let bits = lanes(mask).fold(0u64, |b, lane| b | 1 << ((at[lane] >> 2) & 63));
    if bits.count_ones() == count {
        return 0;
    }
    let mut all = [0u64; LANES];
    let mut n = 0;
    for lane in lanes(mask) {
        all[n] = at[lane];
        n += 1;
    }
    all[..n].sort_unstable();
    all[..n].windows(2).filter(|w| w[0] == w[1]).count() as u32
}

/// The handler of an operation on a type, and its bytes.
pub(crate) fn atomic(isa: Isa, operation: &str, ty: &str) -> Option<(Handler, u32)> {
    match (operation, ty) {
        ("add", "u32" | "s32") => return Some((handler::<Hot<Add32>>(isa), 4)),
        ("add", "f32") => return Some((handler::<Hot<AddF32>>(isa), 4)),
        _ => {}
    }
    macro_rules! table {
        ($($op:literal $($ty:literal)|+ => $change:ident $bytes:literal;)*) => {
            match (operation, ty) {
                $(($op, $($ty)|+) => Some((Atomic::<$change>::exec, $bytes)),)*
                _ => None,
            }
        };
    }
    table! {
        "add" "u64" | "s64" => Add64 8;
        "add" "f64" => AddF64 8;
        "add" "f16" => AddF16 2;
        "add" "bf16" => AddBf16 2;
        "add" "f16x2" => AddF16x2 4;
        "add" "bf16x2" => AddBf16x2 4;
        "exch" "b32" | "u32" | "s32" | "f32" => Exch32 4;
        "exch" "b64" | "u64" | "s64" | "f64" => Exch64 8;
        "cas" "b16" => Cas16 2;
        "cas" "b32" | "u32" | "s32" => Cas32 4;
        "cas" "b64" | "u64" | "s64" => Cas64 8;
        "min" "s32" => MinS32 4;
        "max" "s32" => MaxS32 4;
        "min" "u32" => MinU32 4;
        "max" "u32" => MaxU32 4;
        "min" "s64" => MinS64 8;
        "max" "s64" => MaxS64 8;
        "min" "u64" => MinU64 8;
        "max" "u64" => MaxU64 8;
        "and" "b32" | "u32" | "s32" => And32 4;
        "or" "b32" | "u32" | "s32" => Or32 4;
        "xor" "b32" | "u32" | "s32" => Xor32 4;
        "and" "b64" | "u64" | "s64" => And64 8;
        "or" "b64" | "u64" | "s64" => Or64 8;
        "xor" "b64" | "u64" | "s64" => Xor64 8;
        "inc" "u32" => Inc32 4;
        "dec" "u32" => Dec32 4;
    }
}

/// Which space `isspacep` asks for, as a number; `imm` of [`is_space`].
pub(crate) fn space_number(word: &str) -> Option<u64> {
    Some(match word {
        "global" => 0,
        "shared" | "shared::cta" => 1,
        "local" => 2,
        "param" | "param::entry" => 3,
        "const" => 4,
        "shared::cluster" => 1,
        _ => return None,
    })
}

/// `isspacep`: whether the generic address in `a` lies in a space, to the predicate `d`.
pub(crate) unsafe fn is_space(warp: &mut Warp, op: &Op) -> Flow {
    let mask = warp.mask();
    let mut out = 0u32;
    for lane in lanes(mask) {
        // SAFETY: `a` is a 64-bit register.
        let address = unsafe { (*warp.reg::<[u64; LANES]>(op.a))[lane] };
        let (space, _) = access::space_of(address);
        let holds = match op.imm {
            1 => space == Space::Shared,
            2 => space == Space::Local,
            3 => space == Space::Param,
            4 => false,
            _ => space == Space::Global,
        };
        out |= u32::from(holds) << lane;
    }
    // SAFETY: `d` is a predicate.
    unsafe {
        let to = warp.reg::<u32>(op.d);
        *to = (*to & !mask) | out;
    }
    Flow::Next
}
