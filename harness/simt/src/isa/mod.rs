//! The instruction set: one table from which names, operand types, meaning and dispatch come.
//!
//! A row of [`alu!`] says what an instruction is called, what it takes and gives, and what it means in one lane, as a pure
//! function. Everything else is derived: the decoder finds a row by its full name, the validator reads the operand types, and the
//! executor gets one function per row that does all 32 lanes at once, compiled three times for the processor at hand.

pub mod alu;
pub mod dispatch;
