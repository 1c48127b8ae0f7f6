//! Calls of functions that the machine provides.

use crate::instr::code::OperandSlot;

/// The arguments and the result of a call.
pub(crate) struct Call {
    /// The arguments.
    pub arguments: Vec<OperandSlot>,
    /// The destination of the result, if it is used.
    pub result: Option<OperandSlot>,
    /// The index, from 1, of the argument list of a `printf` in `Program::packed`; 0 if it is not known.
    pub packing: u32,
}
