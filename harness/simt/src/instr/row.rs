//! The rows with which a family declares its instructions.

use super::context::{Context, Result};
use crate::ptx::ast;

/// An instruction of a family, or several with a common prefix.
pub(crate) struct FamilyRow {
    /// The prefix of their names: whole words, such as `cp.async`.
    pub name: &'static str,
    /// Decodes the modifiers, and lowers the instruction.
    pub lower: fn(&mut dyn Context, &ast::Inst) -> Result<()>,
    /// Whether lanes may wait in it. If it has a guard, lanes for which that does not hold branch around it.
    pub waits: bool,
}

impl FamilyRow {
    /// Creates a row for an instruction in which lanes do not wait.
    pub const fn new(name: &'static str, lower: fn(&mut dyn Context, &ast::Inst) -> Result<()>) -> FamilyRow {
        FamilyRow { name, lower, waits: false }
    }

    /// Marks it as an instruction in which lanes may wait.
    pub const fn waits(mut self) -> FamilyRow {
        self.waits = true;
        self
    }

    /// Whether an instruction's name has this row's prefix.
    pub fn is(&self, op: &str) -> bool {
        let rest = op.strip_prefix(self.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}
