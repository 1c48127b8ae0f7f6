//! The elements of a lane's vector as one access. A GPU moves an aligned vector of up to 16 bytes as a unit, though the
//! memory model promises it for each element alone; CUB's tile states rely on it.

#[cfg(not(target_arch = "x86_64"))]
use portable_atomic::{AtomicU128, Ordering};

/// Reads `N` elements.
///
/// # Safety
/// The memory is readable, and aligned to the size of the vector.
#[inline(always)]
pub(super) unsafe fn read<M: Copy, const N: usize>(from: *const u8) -> [M; N] {
    // SAFETY: the caller's contract; in each arm both types have the same size. The accesses are volatile, so that the
    // compiler does not split them.
    unsafe {
        match size_of::<[M; N]>() {
            4 => std::mem::transmute_copy(&from.cast::<u32>().read_volatile()),
            8 => std::mem::transmute_copy(&from.cast::<u64>().read_volatile()),
            16 => std::mem::transmute_copy(&read_16(from)),
            _ => from.cast::<[M; N]>().read(),
        }
    }
}

/// Writes `N` elements.
///
/// # Safety
/// As for [`read`], for writing.
#[inline(always)]
pub(super) unsafe fn write<M: Copy, const N: usize>(to: *mut u8, elements: [M; N]) {
    // SAFETY: as for `read`.
    unsafe {
        match size_of::<[M; N]>() {
            4 => to.cast::<u32>().write_volatile(std::mem::transmute_copy(&elements)),
            8 => to.cast::<u64>().write_volatile(std::mem::transmute_copy(&elements)),
            16 => write_16(to, std::mem::transmute_copy(&elements)),
            _ => to.cast::<[M; N]>().write(elements),
        }
    }
}

/// 16 bytes. Processors with AVX access aligned ones as a unit.
#[cfg(target_arch = "x86_64")]
type Word = std::arch::x86_64::__m128i;
#[cfg(not(target_arch = "x86_64"))]
type Word = u128;

#[inline(always)]
unsafe fn read_16(from: *const u8) -> Word {
    // SAFETY: the contract of `read`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        return from.cast::<Word>().read_volatile();
        #[cfg(not(target_arch = "x86_64"))]
        return AtomicU128::from_ptr(from.cast_mut().cast()).load(Ordering::Relaxed);
    }
}

#[inline(always)]
unsafe fn write_16(to: *mut u8, word: Word) {
    // SAFETY: the contract of `write`.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        to.cast::<Word>().write_volatile(word);
        #[cfg(not(target_arch = "x86_64"))]
        AtomicU128::from_ptr(to.cast()).store(word, Ordering::Relaxed);
    }
}
