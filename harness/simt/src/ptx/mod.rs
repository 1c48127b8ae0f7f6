//! PTX text to syntax tree.

pub mod ast;
mod error;
mod lex;
mod parse;

pub use error::{ParseError, Problem};
pub use parse::parse;
