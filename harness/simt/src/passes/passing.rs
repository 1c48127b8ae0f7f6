//! Accesses to parameters that are in registers.

use super::error::{invalid, unsupported};
use super::function::FnBuilder;
use super::ir::*;
use crate::finding::Space;
use crate::instr::context::Context;
use crate::instr::memory::Modifiers;
use crate::ptx::ast::{self, Base, Operand};

/// A part of a parameter: its offset, its size and its register.
type Piece = (u32, u32, OperandSlot);

impl FnBuilder<'_, '_> {
    /// Emits a copy of a register.
    pub fn copy(&mut self, to: OperandSlot, from: OperandSlot, width: u32) -> Result<()> {
        let cx: &mut dyn Context = self;
        cx.copy(to, from, width)
    }

    /// Returns the pieces of a `.param` variable that is in registers, and the offset in it to which the operand
    /// points.
    fn param_pieces(&self, operand: &Operand) -> Option<(Vec<Piece>, i64)> {
        let Operand::Mem(Base::Sym(name), offset) = operand else {
            return None;
        };
        let slot = self.b.slots.slot(self.index, name)?;
        (slot.memory.is_none()).then(|| (slot.pieces.clone(), *offset))
    }

    /// Lowers a load of a parameter that is in registers; returns false for any other load.
    pub fn loads_parameter(&mut self, inst: &ast::Inst) -> Result<bool> {
        let how = Modifiers::parse(self, inst)?;
        if how.space != Space::Param {
            return Ok(false);
        }
        let (to, from) = (&inst.operands[0], &inst.operands[1]);
        if how.count == 1 && self.is_forwarded(to) {
            return Ok(true);
        }
        let list = how.elements(self, to)?;
        let size = how.ty.size();
        if let Operand::Mem(Base::Sym(name), offset) = from
            && self.f.entry
            && self.b.params.contains_key(name)
        {
            for (k, to) in list.iter().enumerate() {
                let Operand::Reg(r) = to else { continue };
                let width = self.width_of(*r);
                let at = offset + k as i64 * i64::from(size);
                let Some(source) = self.kernel_param(name, at, how.ty, width) else {
                    return Err(unsupported(format!("`{}`", inst.text), self.at()));
                };
                let to = self.dest(to, width)?;
                self.copy(to, source, width)?;
            }
            return Ok(true);
        }
        let Some((pieces, offset)) = self.param_pieces(from) else {
            return Ok(false);
        };
        for (k, to) in list.iter().enumerate() {
            let at = offset + k as i64 * i64::from(size);
            let piece = pieces.iter().find(|p| i64::from(p.0) == at && p.1 == size);
            let Some(&(.., from)) = piece else {
                let what = "a read of a part of a parameter that was never written";
                return Err(invalid(what.into(), self.at()));
            };
            let to = self.dest(to, size)?;
            self.copy(to, from, size)?;
        }
        Ok(true)
    }

    /// Lowers a store to a parameter that is in registers; returns false for any other store.
    pub fn stores_parameter(&mut self, inst: &ast::Inst) -> Result<bool> {
        let how = Modifiers::parse(self, inst)?;
        if how.space != Space::Param {
            return Ok(false);
        }
        let (to, from) = (&inst.operands[0], &inst.operands[1]);
        let Some((pieces, offset)) = self.param_pieces(to) else {
            return Ok(false);
        };
        let size = how.ty.size();
        for (k, from) in how.elements(self, from)?.iter().enumerate() {
            let at = offset + k as i64 * i64::from(size);
            let piece = pieces.iter().find(|p| i64::from(p.0) == at && p.1 == size);
            // A part that is never read has no place.
            if let Some(&(.., to)) = piece {
                let from = self.source(from, how.ty)?;
                self.copy(to, from, size)?;
            }
        }
        Ok(true)
    }
}
