//! Expressions over registers, variables and memory, as `print` and conditions have them.

mod evaluate;
mod parse;
mod token;

pub use evaluate::{Quantity, Scope, ValueFormat};
pub use parse::{Expression, parse};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// It cannot be read.
    #[error("{0}")]
    Syntax(String),
    /// A name in it is not known.
    #[error("there is no variable or register `{name}` here; {suggestion}")]
    UnknownName {
        /// The name.
        name: String,
        /// The names that there are.
        suggestion: String,
    },
    /// A register has no value that the recording knows.
    #[error(
        "no step before this one has written {0}; the recording does not have what is computed before the first step, \
         such as parameters and thread indices"
    )]
    UnwrittenRegister(String),
    /// Memory has no value that the recording knows.
    #[error("no step has read or written the {bytes} bytes at {address:#x}, so the recording does not have them")]
    UnknownMemory {
        /// The address.
        address: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// The elements of an array have no known type.
    #[error("no step accesses `{0}`, so the type of its elements is not known; write ((float*){0})[INDEX]")]
    UntypedArray(String),
    /// A local variable has no value here, and why.
    #[error("`{0}` has no value here: {1}")]
    LocalWithoutValue(String, String),
    /// An operator cannot be applied.
    #[error("{0}")]
    Operands(String),
}
