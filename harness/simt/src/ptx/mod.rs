//! PTX text to syntax tree.

pub mod ast;
mod error;
mod lex;
mod parse;
mod verify;

pub use error::{ParseError, Problem};
pub use parse::parse;
pub use verify::verify;

/// Reads a module and checks it: what a loader wants.
///
/// # Errors
/// Those of [`parse`] and [`verify`].
pub fn load(text: &str) -> Result<ast::Module, ParseError> {
    let module = parse(text)?;
    verify(&module)?;
    Ok(module)
}
