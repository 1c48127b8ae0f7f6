//! Errors of the lowering, with the place in the source to which they refer.

use crate::kernel::LoadError;
use ptx::ast::Loc;

/// Describes a place: the function and the lines.
fn place((function, loc): (&str, Loc)) -> String {
    let mut text = format!("in {function}");
    if loc.ptx_line > 0 {
        text.push_str(&format!(", PTX line {}", loc.ptx_line));
    }
    if loc.line > 0 {
        text.push_str(&format!(", source line {}", loc.line));
    }
    text
}

/// The error for PTX that is not supported here.
pub fn unsupported(what: impl Into<String>, at: (&str, Loc)) -> LoadError {
    LoadError::Unsupported { what: what.into(), place: place(at) }
}

/// The error for code that breaks the rules of PTX.
pub fn invalid(what: String, at: (&str, Loc)) -> LoadError {
    LoadError::Invalid { what, place: place(at) }
}
