//! The PTX language, without anything that runs it: its instructions, each in one row of a table ([`opcode`]), and its
//! text as a syntax tree, which is checked as the vendor's assembler checks it.

pub mod ast;
pub mod cost;
mod error;
mod lex;
pub mod modifier;
pub mod opcode;
mod parse;
mod print;
pub mod since;
mod special;
mod verify;
mod younger;

pub use error::{ParseError, Problem};

/// Parses a PTX module and checks what the driver's own assembler would check independent of the instructions.
///
/// # Errors
/// If the text is not PTX or breaks its rules, the error names the line, what was found and what was expected. If it is
/// PTX that this machine does not support, the error says so.
pub fn parse(text: &str) -> Result<ast::Module, ParseError> {
    let module = parse::parse(text)?;
    verify::verify(&module)?;
    Ok(module)
}
