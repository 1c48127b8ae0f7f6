//! A debugger of recorded launches. A recording is deterministic, so time goes in both directions.
//!
//! [`Session`] is the debugger: a position in the launch, a thread in focus, breakpoints and watchpoints. Its fronts
//! are thin: [`terminal`] has cuda-gdb's commands, [`dap`] speaks to editors. `README.md` describes both for users.
//!
//! Inside, `timeline` looks up registers and memory at any position, `locals` the variables of `-G`, `expression`
//! evaluates, `stops` searches for the next breakpoint, and `stepping` steps. Of the workspace, only `recording` is
//! used.

pub mod dap;
mod expression;
mod focus;
mod locals;
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
