//! Calls of functions that the machine provides.

use crate::instr::code::Opnd;

/// What a call passes and wants.
pub(crate) struct Call {
    /// The arguments.
    pub arguments: Vec<Opnd>,
    /// Where the result goes, if it is wanted.
    pub result: Option<Opnd>,
    /// Which of the program's packings (`Program::packed`) the arguments of a `printf` are, from 1; 0 if that is not
    /// known.
    pub packing: u32,
}
