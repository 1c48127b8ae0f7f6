//! A debugger of recorded launches. A recording is deterministic, so time goes in both directions.
//!
//! [`Session`] is the debugger: a position in the launch, a thread in focus, breakpoints and watchpoints. Its front is
//! thin: [`terminal`] has cuda-gdb's commands. `README.md` describes both for users.
//!
//! Inside, `timeline` looks up registers and memory at any position, `expression` evaluates, `stops` searches for the
//! next breakpoint, and `stepping` steps. Of the workspace, only `recording` is used.

mod expression;
mod focus;
mod location;
mod scalar;
mod session;
mod stepping;
mod stops;
mod suggest;
pub mod terminal;
mod timeline;
mod variables;

pub use expression::ExpressionError;
pub use session::{Session, SessionError};
