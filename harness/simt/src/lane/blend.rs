//! Conversions between the bits of a mask and lanes.

use super::LANES;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Expands the bits of a mask to bytes: 0 or 255.
///
/// # Safety
/// The processor supports the features of `W`.
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

/// Expands the bits of a mask to bytes: 0 or 255.
///
/// # Safety
/// The processor supports AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn byte_mask(mask: u32) -> __m256i {
    // SAFETY: the caller's contract.
    unsafe {
        let spread = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
        let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
        let each = _mm256_shuffle_epi8(_mm256_set1_epi32(mask as i32), spread);
        _mm256_cmpeq_epi8(_mm256_and_si256(each, bit), bit)
    }
}

/// Collects the top bits of bytes into a mask.
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
        acc.iter().enumerate().fold(0, |m, (i, &v)| m | (u32::from(v & 1) << i))
    }
}

macro_rules! plain {
    ($t:ty, $old:ident, $new:ident, $mask:ident) => {
        for i in 0..LANES {
            // Arithmetic on the mask's bits, not an `if`, which would let the compiler sink the computation of `new`
            // into branches.
            let keep = (($mask >> i) as $t & 1).wrapping_sub(1);
            let d = $old.add(i);
            *d = (*d & keep) | (*$new.add(i) & !keep);
        }
    };
}

/// # Safety
/// `old` and `new` point to 32 elements each; the processor supports the features of `W`.
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
                    let half = if j == 0 { _mm256_castsi256_si128(byte) } else { _mm256_extracti128_si256::<1>(byte) };
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
                    _mm512_mask_storeu_epi32(old.add(16 * j).cast(), (mask >> (16 * j)) as u16, n);
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
