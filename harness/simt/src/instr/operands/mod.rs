//! Typed operands: what an instruction reads and writes, and which field of the decoded
//! [`Op`](crate::engine::warp::program::Op) holds it.
//!
//! [`operands!`] declares a structure from one row per operand. `pack` turns it into the lowering's
//! [`Inst`](super::code::Inst) and `unpack` reads it back in the handler, so that a row is the only place that knows
//! the field. [`codes!`] declares the members of a family with the PTX words that name them, and the numbers that
//! represent them in an operand.

mod encoded;
mod register;
#[cfg(test)]
mod tests;

pub use encoded::Number;
pub(crate) use encoded::codes;
pub use register::{Address, Any, Bytes, Register};

use super::code::OperandSlot;
use smallvec::SmallVec;

/// The stage of an instruction on its way into a program.
pub trait Stage {
    /// A register whose lanes hold a `T`.
    type Register<T>;
    /// Up to `N` registers.
    type List<const N: usize>;
    /// Any number of registers.
    type Pool;
    /// The address of a memory instruction.
    type Address;
    /// A number.
    type Number<T>;
}

/// Operands are names: the instruction is being lowered.
pub struct Named;

impl Stage for Named {
    type Register<T> = OperandSlot;
    type List<const N: usize> = SmallVec<[OperandSlot; 4]>;
    /// Each register with a flag that says whether it is written.
    type Pool = Vec<(OperandSlot, bool)>;
    /// The register, and the offset that is added to it.
    type Address = (OperandSlot, u64);
    type Number<T> = T;
}

/// Operands are offsets in the register file: the instruction is being executed.
pub struct Placed;

impl Stage for Placed {
    type Register<T> = Register<T>;
    type List<const N: usize> = [Register<Any>; N];
    /// Index of the first register in the program's lists.
    type Pool = u64;
    type Address = Address;
    type Number<T> = T;
}

/// Declares the operands of an instruction, one row each: name, kind and field.
///
/// ```ignore
/// operands! {
///     /// Operands of `shfl`.
///     struct Shuffle {
///         /// The value that each lane provides.
///         value: read(u32) in a,
///         /// Whether the source lies inside the segment, if that is needed.
///         inside: maybe_write(bool) in d2,
///         /// Which lane each lane reads.
///         kind: number(ShuffleMode) in imm,
///     }
/// }
/// ```
///
/// The kinds are `read` and `write` (a register), `maybe_read` and `maybe_write` (a register that may be missing),
/// `read_list` and `write_list` (up to four registers of a type that the handler knows, in the fields given), `pool`
/// (any number of registers, in the program's lists; always in `imm`), `address` (of a memory instruction; always in
/// `a` and `imm`) and `number`. The structure has a parameter, the [`Stage`]; `Name::<Named>::pack` makes an
/// instruction of a handler and the operands, `Name::<Placed>::unpack` reads the operands of a decoded one.
macro_rules! operands {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$about:meta])* $field:ident : $kind:ident $(($ty:ty))? in $($at:ident)|+),* $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $name<S: $crate::instr::operands::Stage> {
            $($(#[$about])* pub $field: operands!(@type S $kind $(($ty))? in $($at)|+),)*
        }
        impl $name<$crate::instr::operands::Named> {
            /// Returns the instruction that `handler` executes with these operands.
            // Operands that are added to others, such as the end of a block, are only filled in.
            #[allow(dead_code)]
            pub fn pack(
                self,
                handler: $crate::engine::warp::handler::Handler,
            ) -> $crate::instr::code::Inst {
                self.fill($crate::instr::code::Inst::plain(handler))
            }
            /// Adds these operands to those that the instruction has.
            pub fn fill(self, inst: $crate::instr::code::Inst) -> $crate::instr::code::Inst {
                $(let inst = operands!(@pack inst, self.$field, $kind $($at)|+);)*
                inst
            }
        }
        impl $name<$crate::instr::operands::Placed> {
            /// Returns the operands of a decoded instruction.
            #[inline(always)]
            pub fn unpack(op: &$crate::engine::warp::program::Op) -> Self {
                Self { $($field: operands!(@unpack op, $kind $($at)|+),)* }
            }
        }
    };

    (@type $S:ident read ($ty:ty) in $at:ident) => { $S::Register<$ty> };
    (@type $S:ident write ($ty:ty) in $at:ident) => { $S::Register<$ty> };
    (@type $S:ident maybe_read ($ty:ty) in $at:ident) => { Option<$S::Register<$ty>> };
    (@type $S:ident maybe_write ($ty:ty) in $at:ident) => { Option<$S::Register<$ty>> };
    (@type $S:ident read_list in $($at:ident)|+) => {
        $S::List<{ [$(operands!(@field $at)),+].len() }>
    };
    (@type $S:ident write_list in $($at:ident)|+) => { operands!(@type $S read_list in $($at)|+) };
    (@type $S:ident pool in imm) => { $S::Pool };
    (@type $S:ident address in a) => { $S::Address };
    (@type $S:ident number ($ty:ty) in $at:ident) => { $S::Number<$ty> };

    (@field d) => { $crate::instr::code::Field::D };
    (@field d2) => { $crate::instr::code::Field::D2 };
    (@field a) => { $crate::instr::code::Field::A };
    (@field b) => { $crate::instr::code::Field::B };
    (@field c) => { $crate::instr::code::Field::C };
    (@field e) => { $crate::instr::code::Field::E };

    (@pack $inst:ident, $value:expr, read $at:ident) => { $inst.read(operands!(@field $at), $value) };
    (@pack $inst:ident, $value:expr, write $at:ident) => { $inst.write(operands!(@field $at), $value) };
    (@pack $inst:ident, $value:expr, maybe_read $at:ident) => {
        match $value {
            Some(value) => $inst.read(operands!(@field $at), value),
            None => $inst.raw(operands!(@field $at), u32::MAX),
        }
    };
    (@pack $inst:ident, $value:expr, maybe_write $at:ident) => {
        match $value {
            Some(value) => $inst.write(operands!(@field $at), value),
            None => $inst.raw(operands!(@field $at), u32::MAX),
        }
    };
    (@pack $inst:ident, $value:expr, read_list $($at:ident)|+) => {
        $value.into_iter().zip([$(operands!(@field $at)),+])
            .fold($inst, |inst, (value, at)| inst.read(at, value))
    };
    (@pack $inst:ident, $value:expr, write_list $($at:ident)|+) => {
        $value.into_iter().zip([$(operands!(@field $at)),+])
            .fold($inst, |inst, (value, at)| inst.write(at, value))
    };
    (@pack $inst:ident, $value:expr, pool imm) => {
        $crate::instr::code::Inst { list: $value, ..$inst }
    };
    // These are the fields that `Op::address` reads.
    (@pack $inst:ident, $value:expr, address a) => {{
        let (base, offset) = $value;
        let inst = $inst.read($crate::instr::code::Field::A, base);
        $crate::instr::code::Inst { imm: offset, ..inst }
    }};
    (@pack $inst:ident, $value:expr, number imm) => {
        $crate::instr::code::Inst { imm: $crate::instr::operands::Number::code($value), ..$inst }
    };
    (@pack $inst:ident, $value:expr, number $at:ident) => {
        $inst.raw(operands!(@field $at), $crate::instr::operands::Number::code($value) as u32)
    };

    (@unpack $op:ident, read $at:ident) => { $crate::instr::operands::Register::at($op.$at) };
    (@unpack $op:ident, write $at:ident) => { $crate::instr::operands::Register::at($op.$at) };
    (@unpack $op:ident, maybe_read $at:ident) => {
        if $op.$at == u32::MAX { None } else { Some($crate::instr::operands::Register::at($op.$at)) }
    };
    (@unpack $op:ident, maybe_write $at:ident) => { operands!(@unpack $op, maybe_read $at) };
    (@unpack $op:ident, read_list $($at:ident)|+) => {
        [$($crate::instr::operands::Register::at($op.$at)),+]
    };
    (@unpack $op:ident, write_list $($at:ident)|+) => { operands!(@unpack $op, read_list $($at)|+) };
    (@unpack $op:ident, pool imm) => { $op.imm };
    (@unpack $op:ident, address a) => { $crate::instr::operands::Address::from_op($op) };
    (@unpack $op:ident, number imm) => { $crate::instr::operands::Number::from_code($op.imm) };
    (@unpack $op:ident, number $at:ident) => {
        $crate::instr::operands::Number::from_code(u64::from($op.$at))
    };
}
pub(crate) use operands;
