//! PTX text to syntax tree.

pub mod ast;
mod error;
mod lex;
mod parse;
mod verify;

pub use error::{ParseError, Problem};

/// Reads a PTX module and checks what the driver's own assembler would check whatever the instructions are.
///
/// # Errors
/// Names the line, what stands there and what should, for a text that is no PTX or breaks its rules, and says so when it is PTX
/// that this machine does not model.
pub fn parse(text: &str) -> Result<ast::Module, ParseError> {
    let module = parse::parse(text)?;
    verify::verify(&module)?;
    Ok(module)
}
