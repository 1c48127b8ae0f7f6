//! How a family tells which instructions it has.

use super::context::{Context, Result};
use crate::ptx::ast;

/// An instruction of a family, or several whose names begin alike.
pub(crate) struct Row {
    /// How their names begin: whole words, such as `cp.async`.
    pub name: &'static str,
    /// Recognises the modifiers, and lowers the instruction.
    pub lower: fn(&mut dyn Context, &ast::Inst) -> Result<()>,
    /// Lanes may wait in it. If it has a guard, lanes for which that does not hold go round it.
    pub waits: bool,
}

impl Row {
    /// An instruction in which lanes do not wait.
    pub const fn new(name: &'static str, lower: fn(&mut dyn Context, &ast::Inst) -> Result<()>) -> Row {
        Row { name, lower, waits: false }
    }

    /// The same, but lanes may wait in it.
    pub const fn waits(mut self) -> Row {
        self.waits = true;
        self
    }

    /// Whether an instruction's name begins as this row's.
    pub fn is(&self, op: &str) -> bool {
        let rest = op.strip_prefix(self.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}
