//! What one register holds in each of a warp's 32 lanes.

/// Lanes of a warp, as on every NVIDIA GPU so far.
pub const LANES: usize = 32;
/// The mask of all lanes.
pub const ALL: u32 = u32::MAX;

/// A type that an instruction's operand has in one lane.
///
/// Registers lie in a warp's register file as [`Lane::Reg`]: 32 values side by side, except predicates, which are the bits of one
/// `u32`. A 32-bit register is 128 bytes.
///
/// The shapes below are what the compiler turns into vector code: every loop has 32 steps and no branch.
pub trait Lane: Copy {
    /// The register: all lanes.
    type Reg: Copy;
    /// A register being computed, lane by lane.
    type Acc: Copy;
    /// One lane's value.
    fn get(reg: &Self::Reg, lane: usize) -> Self;
    /// An accumulator in which every lane will be set.
    fn start() -> Self::Acc;
    /// Sets one lane's value.
    fn set(acc: &mut Self::Acc, lane: usize, value: Self);
    /// The finished register.
    fn finish(acc: Self::Acc) -> Self::Reg;
    /// `new` in the lanes of `mask`, `old` elsewhere.
    fn blend(old: &Self::Reg, new: &Self::Reg, mask: u32) -> Self::Reg;
}

macro_rules! array_lane {
    ($($t:ty, $bits:ty, $to:expr, $from:expr);*) => {$(
        impl Lane for $t {
            type Reg = [$t; LANES];
            type Acc = [$t; LANES];
            #[inline(always)]
            fn get(reg: &Self::Reg, lane: usize) -> Self { reg[lane] }
            #[inline(always)]
            fn start() -> Self::Acc { [<$t>::default(); LANES] }
            #[inline(always)]
            fn set(acc: &mut Self::Acc, lane: usize, value: Self) { acc[lane] = value; }
            #[inline(always)]
            fn finish(acc: Self::Acc) -> Self::Reg { acc }
            #[inline(always)]
            fn blend(old: &Self::Reg, new: &Self::Reg, mask: u32) -> Self::Reg {
                let mut out = *old;
                for i in 0..LANES {
                    // Arithmetic on the mask's bits, not an `if`: else the computation of `new` would be sunk into branches.
                    let keep = (((mask >> i) & 1) as $bits).wrapping_sub(1);
                    out[i] = $from(($to(old[i]) & keep) | ($to(new[i]) & !keep));
                }
                out
            }
        }
    )*};
}
array_lane!(
    u8, u8, |x| x, |x| x;
    i8, u8, |x| x as u8, |x| x as i8;
    u16, u16, |x| x, |x| x;
    i16, u16, |x| x as u16, |x| x as i16;
    u32, u32, |x| x, |x| x;
    i32, u32, |x| x as u32, |x| x as i32;
    u64, u64, |x| x, |x| x;
    i64, u64, |x| x as u64, |x| x as i64;
    f32, u32, f32::to_bits, f32::from_bits;
    f64, u64, f64::to_bits, f64::from_bits
);

impl Lane for bool {
    type Reg = u32;
    type Acc = [u8; LANES];
    #[inline(always)]
    fn get(reg: &u32, lane: usize) -> bool {
        reg & (1 << lane) != 0
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
    fn finish(acc: Self::Acc) -> u32 {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};
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
    #[inline(always)]
    fn blend(old: &u32, new: &u32, mask: u32) -> u32 {
        (old & !mask) | (new & mask)
    }
}

/// An operand that an instruction does not have.
impl Lane for () {
    type Reg = ();
    type Acc = ();
    #[inline(always)]
    fn get((): &(), _: usize) {}
    #[inline(always)]
    fn start() {}
    #[inline(always)]
    fn set((): &mut (), _: usize, (): ()) {}
    #[inline(always)]
    fn finish((): ()) {}
    #[inline(always)]
    fn blend((): &(), (): &(), _: u32) {}
}
