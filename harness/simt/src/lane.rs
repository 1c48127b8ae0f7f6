//! What one register holds in each of a warp's 32 lanes.

// A warp's register file is aligned to vectors, and registers in it to their size; unaligned vector loads are used all the same.
#![allow(clippy::cast_ptr_alignment)]

use crate::ptx::ast::Type;

/// Lanes of a warp, as on every NVIDIA GPU so far.
pub const LANES: usize = 32;
/// The mask of all lanes.
pub const ALL: u32 = u32::MAX;

/// A type that an instruction's operand has in one lane.
///
/// Registers lie in a warp's register file as [`Lane::Reg`]: 32 values side by side, except predicates, which are the bits of one
/// `u32`. A 32-bit register is 128 bytes.
///
/// The shapes below are what the compiler turns into vector code: every loop has 32 steps and no branch. Only what compilers
/// do badly, going from a mask's bits to lanes, is written per processor; `W` says which: 0 for any, 3 for x86-64-v3, 4 for
/// x86-64-v4.
pub trait Lane: Copy {
    /// The PTX type; `None` for the operand that an instruction does not have.
    const TYPE: Option<Type>;
    /// The register: all lanes.
    type Reg: Copy;
    /// A register being read, lane by lane.
    type View: Copy;
    /// A register being computed, lane by lane.
    type Acc: Copy;
    /// Opens a register for reading.
    ///
    /// # Safety
    /// `reg` points to a readable, aligned [`Lane::Reg`] (anything for `()`); the processor has what `W` promises.
    unsafe fn view<const W: u8>(reg: *const u8) -> Self::View;
    /// One lane's value.
    fn get(view: &Self::View, lane: usize) -> Self;
    /// An accumulator in which every lane will be set.
    fn start() -> Self::Acc;
    /// Sets one lane's value.
    fn set(acc: &mut Self::Acc, lane: usize, value: Self);
    /// Writes the finished register.
    ///
    /// # Safety
    /// `reg` points to a writable, aligned [`Lane::Reg`] (anything for `()`).
    unsafe fn write(reg: *mut u8, acc: Self::Acc);
    /// Writes the lanes of `mask` and leaves the others as they are.
    ///
    /// # Safety
    /// As for [`Lane::write`]; the processor has what `W` promises.
    unsafe fn blend<const W: u8>(reg: *mut u8, acc: Self::Acc, mask: u32);
    /// Reads one lane straight from the register.
    ///
    /// # Safety
    /// As for [`Lane::view`], and `lane` < 32.
    unsafe fn load(reg: *const u8, lane: usize) -> Self;
    /// Writes one lane straight to the register.
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
        // By the top bit, which is what blends look at.
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

/// An operand that an instruction does not have.
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

/// From a mask's bits to lanes and back.
mod blend {
    use super::LANES;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::*;

    /// The bits of a mask as bytes: 0 or 255.
    ///
    /// # Safety
    /// The processor has what `W` promises.
    #[inline(always)]
    pub unsafe fn bytes<const W: u8>(mask: u32) -> [u8; LANES] {
        let mut out = [0u8; LANES];
        // SAFETY: the caller's contract.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            let p = out.as_mut_ptr().cast();
            if W == 4 {
                _mm256_storeu_si256(p, _mm256_movm_epi8(mask));
                return out;
            }
            if W == 3 {
                _mm256_storeu_si256(p, byte_mask(mask));
                return out;
            }
        }
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = 0u8.wrapping_sub((mask >> i) as u8 & 1);
        }
        out
    }

    /// The bits of a mask as bytes: 0 or 255.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn byte_mask(mask: u32) -> __m256i {
        // SAFETY: the caller's contract.
        unsafe {
            let spread = _mm256_setr_epi64x(
                0,
                0x0101_0101_0101_0101,
                0x0202_0202_0202_0202,
                0x0303_0303_0303_0303,
            );
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
            let each = _mm256_shuffle_epi8(_mm256_set1_epi32(mask as i32), spread);
            _mm256_cmpeq_epi8(_mm256_and_si256(each, bit), bit)
        }
    }

    /// The top bits of bytes as a mask.
    #[inline(always)]
    pub fn bits(acc: [u8; LANES]) -> u32 {
        #[cfg(target_arch = "x86_64")]
        {
            // SAFETY: SSE2 is part of x86-64, and the accumulator is 32 bytes long.
            unsafe {
                let p = acc.as_ptr().cast::<__m128i>();
                let low = _mm_movemask_epi8(_mm_loadu_si128(p));
                let high = _mm_movemask_epi8(_mm_loadu_si128(p.add(1)));
                (low as u32) | ((high as u32) << 16)
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            acc.iter()
                .enumerate()
                .fold(0, |m, (i, &v)| m | (u32::from(v & 1) << i))
        }
    }

    macro_rules! plain {
        ($t:ty, $old:ident, $new:ident, $mask:ident) => {
            for i in 0..LANES {
                // Arithmetic on the mask's bits, not an `if`: else the computation of `new` would be sunk into branches.
                let keep = (($mask >> i) as $t & 1).wrapping_sub(1);
                let d = $old.add(i);
                *d = (*d & keep) | (*$new.add(i) & !keep);
            }
        };
    }

    /// # Safety
    /// `old` and `new` point to 32 elements each; the processor has what `W` promises.
    #[inline(always)]
    pub unsafe fn words16<const W: u8>(old: *mut u16, new: *const u16, mask: u32) {
        // SAFETY: the caller's contract.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            {
                if W == 4 {
                    _mm512_mask_storeu_epi16(old.cast(), mask, _mm512_loadu_si512(new.cast()));
                    return;
                }
                if W == 3 {
                    let byte = byte_mask(mask);
                    for j in 0..2 {
                        let half = if j == 0 {
                            _mm256_castsi256_si128(byte)
                        } else {
                            _mm256_extracti128_si256::<1>(byte)
                        };
                        let p = old.add(16 * j).cast::<__m256i>();
                        let n = _mm256_loadu_si256(new.add(16 * j).cast());
                        let m = _mm256_cvtepi8_epi16(half);
                        _mm256_storeu_si256(p, _mm256_blendv_epi8(_mm256_loadu_si256(p), n, m));
                    }
                    return;
                }
            }
            plain!(u16, old, new, mask);
        }
    }

    /// # Safety
    /// As for [`words16`].
    #[inline(always)]
    pub unsafe fn words32<const W: u8>(old: *mut u32, new: *const u32, mask: u32) {
        // SAFETY: the caller's contract.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            {
                if W == 4 {
                    for j in 0..2 {
                        let n = _mm512_loadu_si512(new.add(16 * j).cast());
                        _mm512_mask_storeu_epi32(
                            old.add(16 * j).cast(),
                            (mask >> (16 * j)) as u16,
                            n,
                        );
                    }
                    return;
                }
                if W == 3 {
                    let bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                    for j in 0..4 {
                        let each = _mm256_set1_epi32((mask >> (8 * j)) as i32);
                        let m = _mm256_cmpeq_epi32(_mm256_and_si256(each, bit), bit);
                        let p = old.add(8 * j).cast::<__m256i>();
                        let n = _mm256_loadu_si256(new.add(8 * j).cast());
                        _mm256_storeu_si256(p, _mm256_blendv_epi8(_mm256_loadu_si256(p), n, m));
                    }
                    return;
                }
            }
            plain!(u32, old, new, mask);
        }
    }

    /// # Safety
    /// As for [`words16`].
    #[inline(always)]
    pub unsafe fn words64<const W: u8>(old: *mut u64, new: *const u64, mask: u32) {
        // SAFETY: the caller's contract.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            {
                if W == 4 {
                    for j in 0..4 {
                        let n = _mm512_loadu_si512(new.add(8 * j).cast());
                        _mm512_mask_storeu_epi64(old.add(8 * j).cast(), (mask >> (8 * j)) as u8, n);
                    }
                    return;
                }
                if W == 3 {
                    let bit = _mm256_setr_epi64x(1, 2, 4, 8);
                    for j in 0..8 {
                        let each = _mm256_set1_epi64x(i64::from(mask >> (4 * j)));
                        let m = _mm256_cmpeq_epi64(_mm256_and_si256(each, bit), bit);
                        let p = old.add(4 * j).cast::<__m256i>();
                        let n = _mm256_loadu_si256(new.add(4 * j).cast());
                        _mm256_storeu_si256(p, _mm256_blendv_epi8(_mm256_loadu_si256(p), n, m));
                    }
                    return;
                }
            }
            plain!(u64, old, new, mask);
        }
    }
}
