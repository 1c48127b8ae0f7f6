//! Registers of a decoded instruction.

use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::lane::LANES;
use std::marker::PhantomData;

/// The lanes' addresses of a memory instruction, in the fields where the engine expects them.
#[derive(Clone, Copy)]
pub struct Address {
    /// A register.
    pub base: Register<u64>,
    /// The offset that is added in all lanes.
    pub offset: u64,
}

impl Address {
    /// Reads it from a decoded instruction.
    #[inline(always)]
    pub fn from_op(op: &Op) -> Address {
        let (base, offset) = op.address();
        let base = Register::at(base);
        Address { base, offset }
    }
}

/// A register of a warp whose lanes hold a `T`.
pub struct Register<T> {
    offset: u32,
    lane: PhantomData<T>,
}

impl<T> Clone for Register<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Register<T> {}

/// The lanes of a register whose type is not in the decoded instruction: the handler was chosen for it.
pub struct Any;

impl<T> Register<T> {
    /// The register at this byte offset of the register file.
    #[inline(always)]
    pub fn at(offset: u32) -> Register<T> {
        Register { offset, lane: PhantomData }
    }

    /// Returns its byte offset in the register file.
    #[cfg(test)]
    pub fn offset(self) -> u32 {
        self.offset
    }
}

impl Register<Any> {
    /// The same register as one whose lanes hold a `T`.
    #[inline(always)]
    pub fn holding<T>(self) -> Register<T> {
        Register::at(self.offset)
    }
}

/// A lane value of a register that occupies whole bytes.
pub trait Bytes: Copy {}
impl Bytes for u16 {}
impl Bytes for u32 {}
impl Bytes for u64 {}

impl<T: Bytes> Register<T> {
    /// Returns a pointer to all lanes.
    ///
    /// # Safety
    /// The register was unpacked from an instruction of the program that the warp runs. The pointer is valid as long as
    /// the warp has its register file.
    #[inline(always)]
    pub unsafe fn lanes(self, warp: &Warp) -> *mut [T; LANES] {
        // SAFETY: the caller's contract.
        unsafe { warp.reg(self.offset) }
    }
}

/// A predicate: its lanes are the bits of a word.
impl Register<bool> {
    /// Returns a pointer to all lanes.
    ///
    /// # Safety
    /// As for other registers.
    #[inline(always)]
    pub unsafe fn bits(self, warp: &Warp) -> *mut u32 {
        // SAFETY: the caller's contract.
        unsafe { warp.reg(self.offset) }
    }

    /// Writes the bits of a mask and leaves the others unchanged.
    ///
    /// # Safety
    /// As for [`Register::bits`].
    #[inline(always)]
    pub unsafe fn set(self, warp: &Warp, mask: u32, bits: u32) {
        // SAFETY: the caller's contract.
        unsafe {
            let to = self.bits(warp);
            *to = (*to & !mask) | (bits & mask);
        }
    }
}
