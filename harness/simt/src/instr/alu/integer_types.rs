//! Integer types of conversions, and the registers that hold them.

use crate::lane::Lane;

/// A register that holds an integer.
pub trait IntReg: Lane {
    /// Its size.
    const BITS: u32;
    /// Its bits.
    fn raw(self) -> u64;
    /// Creates a register with the low bits of `raw`.
    fn from_raw(raw: u64) -> Self;
}
macro_rules! int_reg {
    ($($t:ident)*) => {$(
        impl IntReg for $t {
            const BITS: u32 = $t::BITS;
            #[inline(always)]
            fn raw(self) -> u64 { u64::from(self) }
            #[inline(always)]
            fn from_raw(raw: u64) -> $t { raw as $t }
        }
    )*};
}
int_reg!(u16 u32 u64);

/// An integer type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntType {
    /// 8, 16, 32 or 64.
    pub bits: u32,
    /// Whether it is signed (two's complement).
    pub signed: bool,
}

/// All integer types, by name.
pub(super) const INTS: [(&str, IntType); 8] = [
    ("u8", int_type(8, false)),
    ("s8", int_type(8, true)),
    ("u16", int_type(16, false)),
    ("s16", int_type(16, true)),
    ("u32", int_type(32, false)),
    ("s32", int_type(32, true)),
    ("u64", int_type(64, false)),
    ("s64", int_type(64, true)),
];

/// Returns the type of `bits` bits.
pub(super) const fn int_type(bits: u32, signed: bool) -> IntType {
    IntType { bits, signed }
}

impl IntType {
    /// Returns three bits that identify the type.
    pub fn code(self) -> u64 {
        u64::from(self.bits.trailing_zeros() - 3) | (u64::from(self.signed) << 2)
    }

    /// Returns the type of a code.
    pub fn from_code(code: u64) -> IntType {
        int_type(8 << (code & 3), code & 4 != 0)
    }

    /// Returns the value of this type in the low bits of a register.
    pub fn value(self, raw: u64) -> i128 {
        let up = 64 - self.bits;
        if self.signed { i128::from(((raw << up) as i64) >> up) } else { i128::from((raw << up) >> up) }
    }

    /// Its minimum.
    pub fn least(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// Its maximum.
    pub fn largest(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }

    /// Sizes of the registers that may hold it.
    pub fn registers(self) -> &'static [u32] {
        match self.bits {
            8 | 16 => &[16, 32, 64],
            32 => &[32, 64],
            _ => &[64],
        }
    }

    /// The smallest of them.
    pub fn register(self) -> u32 {
        self.bits.max(16)
    }
}
