//! The reasons why a text is not a loadable PTX module.

use thiserror::Error;

/// An error, and its line in the PTX.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("PTX line {line}: {problem}")]
pub struct ParseError {
    /// Line in the PTX, counted from 1.
    pub line: u32,
    /// The problem on that line.
    pub problem: Problem,
}

/// The kinds of problems in a PTX text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The text is not valid PTX.
    #[error("found {found}, expected {expected}")]
    Syntax {
        /// The token, as written.
        found: String,
        /// What was expected instead.
        expected: String,
    },
    /// A name without a declaration.
    #[error("{what} `{name}` is not declared")]
    Undeclared {
        /// `register`, `label, variable or function`, ...
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name that is declared twice in one scope.
    #[error("{what} `{name}` is declared twice")]
    Duplicate {
        /// `register`, `label`, `variable`, `function`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Braces or parentheses nested deeper than any compiler would write them.
    #[error("nested more than {0} levels deep")]
    TooDeep(u32),
    /// PTX that breaks PTX's rules.
    #[error("{0}")]
    Invalid(String),
    /// PTX that this machine does not support.
    #[error("{0} is not supported by the SIMT machine")]
    Unsupported(String),
}

impl ParseError {
    /// Whether the PTX may be valid, but is not supported by this machine.
    pub fn is_unsupported(&self) -> bool {
        matches!(self.problem, Problem::Unsupported(_))
    }
}

/// The result of a step of the parser.
pub type Result<T> = std::result::Result<T, ParseError>;
