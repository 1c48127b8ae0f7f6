//! The rows with which a family declares its instructions.

use super::context::{Context, Result};
use ptx::ast;
use ptx::opcode::Opcode;

/// An instruction of a family.
pub(crate) struct FamilyRow {
    /// The instruction.
    pub opcode: Opcode,
    /// Decodes the modifiers, and lowers the instruction.
    pub lower: fn(&mut dyn Context, &ast::Inst) -> Result<()>,
    /// Whether lanes may wait in it. If it has a guard, lanes for which that does not hold branch around it.
    pub waits: bool,
}

impl FamilyRow {
    /// Creates a row for an instruction in which lanes do not wait.
    pub const fn new(opcode: Opcode, lower: fn(&mut dyn Context, &ast::Inst) -> Result<()>) -> FamilyRow {
        FamilyRow { opcode, lower, waits: false }
    }

    /// Marks it as an instruction in which lanes may wait.
    pub const fn waits(mut self) -> FamilyRow {
        self.waits = true;
        self
    }
}
