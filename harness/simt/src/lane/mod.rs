//! The contents of one register in the 32 lanes of a warp.

// A warp's register file is aligned to vectors, and registers in it to their size; unaligned vector loads are used
// anyway.
#![allow(clippy::cast_ptr_alignment)]

mod blend;
mod vectors;

pub use self::vectors::HostVectors;
use ptx::ast::Type;

/// Lanes of a warp, as on every NVIDIA GPU so far.
pub const LANES: usize = 32;
/// The mask of all lanes.
pub const ALL: u32 = u32::MAX;

/// The type of an instruction's operand in one lane.
///
/// Registers lie in a warp's register file as [`Lane::Reg`]: 32 adjacent values, except predicates, which are the bits
/// of one `u32`. A 32-bit register is 128 bytes.
///
/// The compiler vectorises the loops below, because each has 32 steps and no branch. Only the expansion of a mask's
/// bits to lanes, which compilers do badly, is written by hand for each class of processor. `W` is the class: 0 for
/// any, 3 for x86-64-v3, 4 for x86-64-v4.
pub trait Lane: Copy {
    /// The PTX type; `None` if the instruction does not have this operand.
    const TYPE: Option<Type>;
    /// The register: all lanes.
    type Reg: Copy;
    /// A register that is being read lane by lane.
    type View: Copy;
    /// A register that is being computed lane by lane.
    type Acc: Copy;
    /// Opens a register for reading.
    ///
    /// # Safety
    /// `reg` points to a readable, aligned [`Lane::Reg`] (anything for `()`); the processor supports the features of
    /// `W`.
    unsafe fn view<const W: u8>(reg: *const u8) -> Self::View;
    /// Returns one lane's value.
    fn get(view: &Self::View, lane: usize) -> Self;
    /// Creates an accumulator in which the caller sets every lane.
    fn start() -> Self::Acc;
    /// Sets one lane's value.
    fn set(acc: &mut Self::Acc, lane: usize, value: Self);
    /// Writes the finished register.
    ///
    /// # Safety
    /// `reg` points to a writable, aligned [`Lane::Reg`] (anything for `()`).
    unsafe fn write(reg: *mut u8, acc: Self::Acc);
    /// Writes the lanes of `mask` and leaves the others unchanged.
    ///
    /// # Safety
    /// As for [`Lane::write`]; the processor supports the features of `W`.
    unsafe fn blend<const W: u8>(reg: *mut u8, acc: Self::Acc, mask: u32);
    /// Reads one lane directly from the register.
    ///
    /// # Safety
    /// As for [`Lane::view`], and `lane` < 32.
    unsafe fn load(reg: *const u8, lane: usize) -> Self;
    /// Writes one lane directly to the register.
    ///
    /// # Safety
    /// As for [`Lane::write`], and `lane` < 32.
    unsafe fn store(reg: *mut u8, lane: usize, value: Self);
}

/// A half-precision number, as its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16(pub u16);

/// A bfloat16 number, as its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Bf16(pub u16);

/// Two half-precision numbers, the first in the low half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16x2(pub u32);

/// Two bfloat16 numbers, the first in the low half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Bf16x2(pub u32);

macro_rules! array_lane {
    ($($t:ty: $p:ident, $blend:ident);* $(;)?) => {$(
        impl Lane for $t {
            const TYPE: Option<Type> = Some(Type::$p);
            type Reg = [$t; LANES];
            type View = [$t; LANES];
            type Acc = [$t; LANES];
            #[inline(always)]
            unsafe fn view<const W: u8>(reg: *const u8) -> Self::View {
                // SAFETY: the caller's contract.
                unsafe { *reg.cast::<Self::Reg>() }
            }
            #[inline(always)]
            fn get(view: &Self::View, lane: usize) -> Self { view[lane] }
            #[inline(always)]
            fn start() -> Self::Acc { [<$t>::default(); LANES] }
            #[inline(always)]
            fn set(acc: &mut Self::Acc, lane: usize, value: Self) { acc[lane] = value; }
            #[inline(always)]
            unsafe fn write(reg: *mut u8, acc: Self::Acc) {
                // SAFETY: the caller's contract.
                unsafe { *reg.cast::<Self::Reg>() = acc; }
            }
            #[inline(always)]
            unsafe fn blend<const W: u8>(reg: *mut u8, acc: Self::Acc, mask: u32) {
                // SAFETY: the caller's contract; the element has as many bits as the helper's.
                unsafe { blend::$blend::<W>(reg.cast(), acc.as_ptr().cast(), mask) }
            }
            #[inline(always)]
            unsafe fn load(reg: *const u8, lane: usize) -> Self {
                // SAFETY: the caller's contract.
                unsafe { *reg.cast::<Self>().add(lane) }
            }
            #[inline(always)]
            unsafe fn store(reg: *mut u8, lane: usize, value: Self) {
                // SAFETY: the caller's contract.
                unsafe { *reg.cast::<Self>().add(lane) = value; }
            }
        }
    )*};
}
array_lane!(
    u16: U16, words16;
    i16: S16, words16;
    u32: U32, words32;
    i32: S32, words32;
    u64: U64, words64;
    i64: S64, words64;
    f32: F32, words32;
    f64: F64, words64;
    F16: F16, words16;
    Bf16: Bf16, words16;
    F16x2: F16x2, words32;
    Bf16x2: Bf16x2, words32;
);

impl Lane for bool {
    const TYPE: Option<Type> = Some(Type::Pred);
    type Reg = u32;
    type View = [u8; LANES];
    type Acc = [u8; LANES];
    #[inline(always)]
    unsafe fn view<const W: u8>(reg: *const u8) -> Self::View {
        // SAFETY: the caller's contract.
        unsafe { blend::bytes::<W>(*reg.cast::<u32>()) }
    }
    #[inline(always)]
    fn get(view: &Self::View, lane: usize) -> bool {
        // The top bit decides, as in the blend instructions.
        (view[lane] as i8) < 0
    }
    #[inline(always)]
    fn start() -> Self::Acc {
        [0; LANES]
    }
    #[inline(always)]
    fn set(acc: &mut Self::Acc, lane: usize, value: bool) {
        acc[lane] = 0u8.wrapping_sub(u8::from(value));
    }
    #[inline(always)]
    unsafe fn write(reg: *mut u8, acc: Self::Acc) {
        // SAFETY: the caller's contract.
        unsafe { *reg.cast::<u32>() = blend::bits(acc) }
    }
    #[inline(always)]
    unsafe fn blend<const W: u8>(reg: *mut u8, acc: Self::Acc, mask: u32) {
        // SAFETY: the caller's contract.
        unsafe {
            let reg = reg.cast::<u32>();
            *reg = (*reg & !mask) | (blend::bits(acc) & mask);
        }
    }
    #[inline(always)]
    unsafe fn load(reg: *const u8, lane: usize) -> bool {
        // SAFETY: the caller's contract.
        unsafe { (*reg.cast::<u32>() >> lane) & 1 != 0 }
    }
    #[inline(always)]
    unsafe fn store(reg: *mut u8, lane: usize, value: bool) {
        // SAFETY: the caller's contract.
        unsafe {
            let reg = reg.cast::<u32>();
            *reg = (*reg & !(1 << lane)) | (u32::from(value) << lane);
        }
    }
}

/// An operand that the instruction does not have.
impl Lane for () {
    const TYPE: Option<Type> = None;
    type Reg = ();
    type View = ();
    type Acc = ();
    #[inline(always)]
    unsafe fn view<const W: u8>(_: *const u8) {}
    #[inline(always)]
    fn get((): &(), _: usize) {}
    #[inline(always)]
    fn start() {}
    #[inline(always)]
    fn set((): &mut (), _: usize, (): ()) {}
    #[inline(always)]
    unsafe fn write(_: *mut u8, (): ()) {}
    #[inline(always)]
    unsafe fn blend<const W: u8>(_: *mut u8, (): (), _: u32) {}
    #[inline(always)]
    unsafe fn load(_: *const u8, _: usize) {}
    #[inline(always)]
    unsafe fn store(_: *mut u8, _: usize, (): ()) {}
}

/// Iterates over the lanes of a mask, in ascending order.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lane)
    })
}
