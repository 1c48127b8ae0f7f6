//! The values that atomics change.

use crate::instr::operands::Bytes;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A value that the host changes atomically.
pub(super) trait Word: Bytes + PartialEq + Default {
    /// Extends it to 64 bits.
    fn wide(self) -> u64;
    /// Reads it.
    ///
    /// # Safety
    /// The address is aligned and readable.
    unsafe fn load(at: *mut Self) -> Self;
    /// Replaces `old` by `new`. Returns the current value instead if it is not `old`, or if the exchange failed
    /// spuriously.
    ///
    /// # Safety
    /// The address is aligned and writable.
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

/// The operation of an atomic on a value.
pub(super) trait Change {
    /// The value.
    type Word: Word;
    /// Computes the new value from the old value and the operands; `global`: in global memory, where f32 sums flush
    /// subnormal numbers.
    fn new(old: Self::Word, b: Self::Word, c: Self::Word, global: bool) -> Self::Word;
}
